import Basics
import Crypto
import Glibc
import ParleyProtocol
import Reactor

/// The last fetched key set of a provider on disk, for a restart while the provider is down.
///
///     {"issuer":"…","url":"…","fetched_at":1785000000000,"lifetime_seconds":3600}
///     the document as received
struct KeySetCopy {
  /// Unix milliseconds.
  let fetchedAt: Int64
  let lifetimeSeconds: Int64
  let document: [UInt8]

  private static let headByteLimit = 8_192

  /// The path of a provider's copy.
  static func path(of source: KeySetSource, in directory: String) -> String {
    // The name of an issuer may contain slashes.
    "\(directory)/\(TokenDigest(of: source.issuer.name).hex.prefix(32)).json"
  }

  init(fetchedAt: Int64, lifetimeSeconds: Int64, document: [UInt8]) {
    self.fetchedAt = fetchedAt
    self.lifetimeSeconds = lifetimeSeconds
    self.document = document
  }

  /// Reads the copy of a provider; `nil` without one, and for one of another issuer or URL.
  init?(of source: KeySetSource, in directory: String) {
    let limit = KeySet.byteLimit + Self.headByteLimit
    let path = Self.path(of: source, in: directory)
    guard let bytes = try? FileContents.read(path, atMost: limit + 1), bytes.count <= limit,
      let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end <= Self.headByteLimit,
      let head = try? JSONDocument(Array(bytes[..<end])).root,
      head["issuer"]?.string == source.issuer.name, head["url"]?.string == source.url,
      let fetchedAt = head["fetched_at"]?.integer, fetchedAt >= 0,
      let lifetime = head["lifetime_seconds"]?.integer
    else { return nil }
    self.init(
      fetchedAt: fetchedAt, lifetimeSeconds: lifetime, document: Array(bytes[(end + 1)...]))
  }

  /// Writes the copy atomically, in place of an earlier one; only the owner may read it.
  func write(for source: KeySetSource, in directory: String) throws(SystemError) {
    if Kernel.makeDirectory(directory, 0o700) != 0, errno != EEXIST {
      throw .last("mkdir", on: directory)
    }
    let head = JSONWriter.bytes {
      $0.object {
        $0.member("issuer", source.issuer.name)
        $0.member("url", source.url)
        $0.member("fetched_at", fetchedAt)
        $0.member("lifetime_seconds", lifetimeSeconds)
      }
    }
    let path = Self.path(of: source, in: directory)
    let draft = path + "~"
    Kernel.unlink(draft)
    do throws(SystemError) {
      try DurableFile.write(head + [UInt8(ascii: "\n")] + document, to: draft)
      try DurableFile.publish(draft, at: path)
    } catch {
      Kernel.unlink(draft)
      throw error
    }
  }
}
