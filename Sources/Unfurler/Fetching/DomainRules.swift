package import Basics
package import LinkPreview
package import Reactor
import Synchronization

/// The operator's rules about the sites to fetch pages from; the opt-out list may be reloaded while
/// it is in use.
package final class DomainRules: Sendable {
  private let optOutFile: String?
  private let policy: Mutex<DomainPolicy>

  /// Creates rules that allow all sites.
  package init() {
    optOutFile = nil
    policy = Mutex(DomainPolicy())
  }

  /// - Parameters:
  ///   - allowed: The only domains to fetch from; all if empty.
  ///   - denied: Domains never to fetch from.
  ///   - optOutFile: The path of a ``DomainList`` with domains whose owners want no previews.
  /// - Throws: ``DomainRulesError`` for a file that cannot be read or parsed.
  package init(
    allowed: [Domain] = [], denied: [Domain] = [], optOutFile: String? = nil
  ) throws(DomainRulesError) {
    self.optOutFile = optOutFile
    let optedOut = try optOutFile.map(Self.read) ?? DomainSet()
    policy = Mutex(
      DomainPolicy(
        allowed: DomainSet(allowed), denied: DomainSet(denied), optedOut: optedOut))
  }

  /// Reads the opt-out file again; a long file takes a while, but blocks no other thread.
  ///
  /// - Throws: ``DomainRulesError`` if the file cannot be used; the list is unchanged.
  package func reload() throws(DomainRulesError) {
    guard let optOutFile else { return }
    var optedOut = try Self.read(optOutFile)
    // The old list is swapped out, so that it is not freed while other threads wait for the lock.
    policy.withLock { swap(&$0.optedOut, &optedOut) }
  }

  /// Replaces the domains of the settings; the opt-out list is unchanged.
  package func adopt(allowed: [Domain], denied: [Domain]) {
    var (allowed, denied) = (DomainSet(allowed), DomainSet(denied))
    policy.withLock {
      swap(&$0.allowed, &allowed)
      swap(&$0.denied, &denied)
    }
  }

  /// The number of domains that have opted out.
  package var optedOutCount: Int { policy.withLock { $0.optedOut.count } }

  /// Returns the reason why a site is refused, as text; `nil` if it is allowed.
  package func refusal(of host: Host) -> String? { policy.withLock { $0.refusal(of: host) } }

  private static func read(_ path: String) throws(DomainRulesError) -> DomainSet {
    let bytes: [UInt8]
    do throws(SystemError) {
      // One byte more than the maximum is enough to reject the list.
      bytes = try FileContents.read(path, atMost: DomainList.maximumByteCount + 1)
    } catch {
      throw .file(error)
    }
    do throws(DomainListError) {
      return try DomainList.parse(bytes)
    } catch {
      throw .list(path: path, error)
    }
  }
}

/// An error in the operator's rules about domains.
package enum DomainRulesError: Error, Sendable, Hashable, CustomStringConvertible {
  case file(SystemError)
  case list(path: String, DomainListError)

  package var description: String {
    switch self {
    case .file(let error): error.description
    case .list(let path, let error): "\(path): \(error)"
    }
  }
}
