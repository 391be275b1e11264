internal import ParleyProtocol

/// A message of a file, in the form that an import sends.
struct ImportedLine {
  /// The number of the line, from 1 on.
  let number: Int
  let channelURL: String
  /// `nil` if the line does not name one.
  let channelKind: ChannelKind?
  /// The author; `nil` for an admin message.
  let userID: String?
  let nickname: String
  /// The message as JSON.
  let json: [UInt8]

  /// The line is no message that can be sent.
  struct Defect: Error {
    var reason: String
  }

  /// Converts a message object of the Platform API, or a message of a migration.
  ///
  /// - Parameter channel: The channel, in place of the line's own.
  /// - Throws: ``Defect``.
  init(_ text: [UInt8], number: Int, into channel: String?) throws(Defect) {
    let root: JSONNode
    do throws(JSONError) { root = try JSONDocument(text).root } catch {
      throw Defect(reason: "not JSON: \(error)")
    }
    guard root.kind == .object else { throw Defect(reason: "not a JSON object") }
    let type = root["type"]?.string ?? root["message_type"]?.string
    guard let type, MessageType(rawValue: type) != nil else {
      throw Defect(reason: "'type' is missing, or is not MESG, FILE or ADMM")
    }
    guard let url = channel ?? root["channel_url"]?.string, !url.isEmpty else {
      throw Defect(reason: "'channel_url' is missing: give --channel")
    }
    let time = root.present("created_at") ?? root.present("timestamp")
    guard let time = time?.integer else {
      throw Defect(reason: "'created_at' is missing, or is not a time in Unix milliseconds")
    }
    let user = root.present("user")
    let author = user?["user_id"]?.string ?? root["user_id"]?.string
    userID = type == MessageType.admin.rawValue ? nil : author
    guard userID != nil || type == MessageType.admin.rawValue else {
      throw Defect(reason: "'user' is missing")
    }
    self.number = number
    channelURL = url
    channelKind = root["channel_type"]?.string.flatMap(ChannelKind.init)
    nickname = user?["nickname"]?.string ?? ""
    json = Self.json(root, type: type, userID: userID, time: time)
  }

  private static func json(
    _ root: JSONNode, type: String, userID: String?, time: Int64
  ) -> [UInt8] {
    JSONWriter.bytes { writer in
      writer.object {
        $0.member("message_type", type)
        if let userID { $0.member("user_id", userID) }
        $0.member("timestamp", time)
        if let id = dedupID(of: root) { $0.member("dedup_id", id) }
        for name in copiedNames {
          guard let value = root.present(name) else { continue }
          $0.name(escaping: name)
          $0.value(raw: value.raw)
        }
        if let file = root.present("file") { encode(file, into: &$0) }
        let mentioned = root.present("mentioned_users")?.elements.compactMap {
          $0["user_id"]?.string
        }
        if let mentioned, !mentioned.isEmpty { $0.member("mentioned_user_ids", mentioned) }
      }
    }
  }

  /// The identifier of the message in the system that it comes from.
  private static func dedupID(of root: JSONNode) -> String? {
    if let id = root["dedup_id"]?.string, !id.isEmpty { return id }
    guard let id = root["message_id"] else { return nil }
    return id.string ?? id.integer.flatMap { $0 > 0 ? String($0) : nil }
  }

  private static func encode(_ file: JSONNode, into writer: inout JSONWriter) {
    for (name, own): (StaticString, String) in [
      ("url", "url"), ("file_name", "name"), ("file_type", "type"),
    ] {
      if let text = file[own]?.string, !text.isEmpty { writer.member(name, text) }
    }
    if let size = file["size"]?.integer { writer.member("file_size", size) }
  }

  /// Members that have the same form in a message and in an import.
  private static let copiedNames = [
    "message", "data", "custom_type", "mention_type", "mentioned_user_ids", "sorted_metaarray",
    "url", "file_name", "file_type", "file_size", "custom_field",
  ]
}
