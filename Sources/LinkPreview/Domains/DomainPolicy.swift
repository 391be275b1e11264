package import Basics

/// Decides which sites pages are fetched from.
package struct DomainPolicy: Sendable, Hashable {
  /// Domains that alone are fetched from; all when empty.
  package var allowed: DomainSet
  /// Domains that the operator does not want.
  package var denied: DomainSet
  /// Domains whose owners do not want previews.
  package var optedOut: DomainSet

  package init(
    allowed: DomainSet = DomainSet(), denied: DomainSet = DomainSet(),
    optedOut: DomainSet = DomainSet()
  ) {
    self.allowed = allowed
    self.denied = denied
    self.optedOut = optedOut
  }

  /// Why a site is not fetched from, in words; `nil` when it is.
  ///
  /// An address is on no list: it is refused when only listed domains are allowed.
  package func refusal(of host: Host) -> String? {
    guard case .name(let name) = host else {
      return allowed.isEmpty ? nil : "\(host.text) is not among the allowed domains"
    }
    if let domain = denied.domain(covering: name) { return "the domain \(domain) is denied" }
    if let domain = optedOut.domain(covering: name) {
      return "the domain \(domain) has opted out of previews"
    }
    guard allowed.isEmpty || allowed.domain(covering: name) != nil else {
      return "\(name) is not among the allowed domains"
    }
    return nil
  }
}
