/// One request to a server, and how long its parts took.
///
/// Durations are microseconds, counted from the request's beginning (or from joining the queue, for
/// `waiting`); a part that was not reached, or not needed on a kept connection, is 0.
package struct RequestTrace: Sendable, Hashable {
  /// The purpose of the request.
  package enum Purpose: String, Sendable, CaseIterable {
    case page
    /// The description of embedded content (oEmbed) that a page points to.
    case embed
  }

  package var url: String
  package var purpose: Purpose
  /// The address that was connected to: the proxy's when there is one.
  package var address: String?
  /// The HTTP status; `nil` when no response came.
  package var status: Int?
  package var contentType: String?
  /// Bytes of the body that were read, after decompression.
  package var byteCount: Int64 = 0
  /// Waiting for a turn among the fetches of the host, and of all hosts.
  package var waiting: Int64 = 0
  package var nameLookup: Int64 = 0
  package var connect: Int64 = 0
  package var tlsHandshake: Int64 = 0
  package var firstByte: Int64 = 0
  package var total: Int64 = 0
  /// How it ended, in words, such as "read to the end of the head" or "redirected".
  package var ending: String = ""

  package init(url: String, purpose: Purpose) {
    self.url = url
    self.purpose = purpose
  }
}
