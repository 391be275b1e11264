import ParleyProtocol

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

  /// Reads a request; `nil` without an address or a purpose that there is.
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
  /// A member that counts something; 0 when it does not.
  fileprivate func count(_ name: String) -> Int64 { max(0, self[name]?.integer ?? 0) }
}
