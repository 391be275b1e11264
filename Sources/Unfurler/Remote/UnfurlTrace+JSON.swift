import Basics
import LinkPreview
package import ParleyProtocol

/// A trace as JSON; missing parts are omitted. Durations are microseconds, `*_us`.
extension UnfurlTrace {
  /// More than the number of members in a preview.
  private static let maximumOrigins = 32
  private static let maximumTextLength = 500

  /// Writes the trace.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("requests", array: { for request in requests { request.encode(into: &$0) } })
      $0.member("origins", array: { for origin in origins { origin.encode(into: &$0) } })
      $0.member("character_set", ifKnown: characterSet)
      $0.member("emptiness", ifKnown: emptiness)
    }
  }

  /// Parses a trace, ignoring invalid parts and truncating excess ones.
  init(json: JSONNode) {
    self.init()
    requests = json.list("requests", limit: Self.maximumRequests, RequestTrace.init(json:))
    origins = json.list("origins", limit: Self.maximumOrigins, PreviewOrigin.init(json:))
    characterSet = json["character_set"]?.cleanText(limit: Self.maximumTextLength)
    emptiness = json["emptiness"]?.cleanText(limit: Self.maximumTextLength)
  }
}

extension PreviewOrigin {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("member", member)
      $0.member("source", source)
    }
  }

  fileprivate init?(json: JSONNode) {
    guard let member = json["member"]?.cleanText(limit: 64),
      let source = json["source"]?.cleanText(limit: 256)
    else { return nil }
    self.init(member: member, source: source)
  }
}

extension JSONNode {
  /// Returns the first valid values of a member.
  fileprivate func list<Value>(
    _ name: String, limit: Int, _ read: (JSONNode) -> Value?
  ) -> [Value] {
    guard let elements = self[name]?.elements else { return [] }
    return elements.prefix(limit).compactMap(read)
  }

  /// Returns a string as display text; `nil` if nothing of it is left.
  func cleanText(limit: Int) -> String? {
    guard let text = string.map({ DisplayText.line($0, limit: limit) }), !text.isEmpty else {
      return nil
    }
    return text
  }
}

extension RequestTrace {
  private static let maximumURLLength = 2_048
  private static let maximumTextLength = 500

  func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", url)
      $0.member("purpose", purpose.rawValue)
      $0.member("address", ifKnown: address)
      if let status { $0.member("status", status) }
      $0.member("content_type", ifKnown: contentType)
      $0.member("byte_count", byteCount)
      $0.member("waiting_us", waiting)
      $0.member("name_lookup_us", nameLookup)
      $0.member("connect_us", connect)
      $0.member("tls_handshake_us", tlsHandshake)
      $0.member("first_byte_us", firstByte)
      $0.member("total_us", total)
      $0.member("ending", ending)
    }
  }

  /// Parses a request; `nil` without an address or a known purpose.
  init?(json: JSONNode) {
    guard let url = json["url"]?.cleanText(limit: Self.maximumURLLength),
      let purpose = json["purpose"]?.string.flatMap(Purpose.init(rawValue:))
    else { return nil }
    self.init(url: url, purpose: purpose)
    address = json["address"]?.cleanText(limit: Self.maximumTextLength)
    status = json["status"]?.integer.flatMap { (100...999).contains($0) ? Int($0) : nil }
    contentType = json["content_type"]?.cleanText(limit: Self.maximumTextLength)
    ending = json["ending"]?.cleanText(limit: Self.maximumTextLength) ?? ""
    byteCount = json.count("byte_count")
    readDurations(json)
  }

  private mutating func readDurations(_ json: JSONNode) {
    waiting = json.count("waiting_us")
    nameLookup = json.count("name_lookup_us")
    connect = json.count("connect_us")
    tlsHandshake = json.count("tls_handshake_us")
    firstByte = json.count("first_byte_us")
    total = json.count("total_us")
  }
}

extension JSONNode {
  /// Returns a count; 0 if the member is not a count.
  fileprivate func count(_ name: String) -> Int64 { max(0, self[name]?.integer ?? 0) }
}

extension UnfurlError {
  /// The maximum length of a message, in Unicode scalars.
  private static let maximumMessageLength = 500

  private var message: String {
    switch self {
    case .cancelled: "the look-up was called off"
    case .failed(let reason): DisplayText.line(reason, limit: Self.maximumMessageLength)
    case .timedOut: "the page did not answer in time"
    case .unknown: "the page could not be looked up"
    }
  }

  /// Writes the members `error` and `message`.
  func encode(into writer: inout JSONWriter) {
    writer.member("error", kind.rawValue)
    writer.member("message", message)
  }

  /// Parses the members of an object; `nil` if it has no known error.
  init?(json: JSONNode) {
    let message = json["message"]?.string.map {
      DisplayText.line($0, limit: Self.maximumMessageLength)
    }
    guard let kind = json["error"]?.string.flatMap(Kind.init) else { return nil }
    switch kind {
    case .cancelled: self = .cancelled
    case .failed: self = .failed(message ?? "the unfurl service does not say why")
    case .timedOut: self = .timedOut
    case .unknown: self = .unknown
    }
  }
}
