import Basics
import Channels
import HTTP1
import ParleyProtocol
import Telemetry
import Transport

/// A call of the Platform API that changes something, as it came.
struct AuditCall: Sendable {
  /// Unix milliseconds.
  let time: Int64
  let token: APITokenName
  /// The address of the client.
  let client: String
  let method: String
  /// Without the query.
  let path: String
  /// The values in the path, by their names.
  let arguments: [(name: String, value: String)]
  /// JSON, or nothing for a form.
  let body: [UInt8]

  /// Whether calls of a route belong into the audit log.
  ///
  /// - Parameter includesMessages: Whether messages that are sent do.
  static func isRecorded(_ route: Routes.Route, includesMessages: Bool) -> Bool {
    guard let method = route.methods.first, method != "GET" else { return false }
    return includesMessages || method != "POST" || !route.pattern.description.hasSuffix("/messages")
  }
}

/// A call with its outcome: one line of the audit log.
///
///     {"time":"…","token":{"id":"4f2a…","name":"shop"},"address":"10.0.0.7:51234","method":"POST",
///      "path":"/v3/open_channels/lobby/ban","object":{"channel_url":"lobby","user_id":"jeff"},
///      "status":200}
///
/// Of bodies and answers only the names of things are read: no texts, and no tokens.
struct AuditRecord: Sendable {
  let call: AuditCall
  let outcome: CallOutcome

  /// Members of bodies that name the object of a call.
  private static let nameMembers: [String] = ["channel_url", "user_id", "message_id"]
  private static let listMembers: [String] = ["user_ids", "operator_ids"]
  /// Members of answers that name what a call has made.
  private static let answerMembers: [String] = ["channel_url", "user_id", "message_id", "id"]
  /// Larger bodies and answers are not read.
  private static let readByteCount = 65_536
  private static let namesOfList = 100
  private static let longestText = 1_000

  /// The memory that the record takes while it waits, roughly.
  var byteCount: Int {
    let answer = if case .success(let answer) = outcome { answer.count } else { 0 }
    return 256 + call.path.utf8.count + call.body.count + answer
  }

  /// The record as one line of JSON, the line feed at its end included.
  var line: [UInt8] {
    let json = JSONWriter.bytes { encode(into: &$0) }
    // Names of users may hold characters that act on the terminal of whoever reads the log.
    return Array(DisplayText.harmless(json: String(decoding: json, as: UTF8.self)).utf8) + [0x0a]
  }

  private func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("time", UTCTime.format(call.time))
      $0.member(
        "token",
        object: {
          $0.member("id", call.token.id)
          if let name = call.token.name { $0.member("name", name) }
        })
      $0.member("address", call.client)
      $0.member("method", call.method)
      $0.member("path", String(call.path.prefix(Self.longestText)))
      $0.member("object", object: { encodeObject(into: &$0) })
      switch outcome {
      case .success: $0.member("status", 200)
      case .failure(let error):
        $0.member("status", error.code.httpStatus)
        $0.member("code", error.code.rawValue)
      }
    }
  }

  /// Writes what the call is about: names from the path, then from the body, then from the answer.
  private func encodeObject(into writer: inout JSONWriter) {
    var written: Set<String> = []
    func write(_ name: String, _ value: String, into writer: inout JSONWriter) {
      guard written.insert(name).inserted else { return }
      writer.name(escaping: name)
      writer.value(String(value.prefix(Self.longestText)))
    }
    for (name, value) in call.arguments { write(name, value, into: &writer) }
    if let body = Self.read(call.body) {
      for name in Self.nameMembers {
        guard let value = Self.text(body[name]) else { continue }
        write(name, value, into: &writer)
      }
      for name in Self.listMembers {
        guard let list = body[name], list.kind == .array,
          written.insert(name).inserted
        else { continue }
        writer.name(escaping: name)
        writer.array {
          for value in list.elements.prefix(Self.namesOfList).compactMap(\.string) {
            $0.value(String(value.prefix(Self.longestText)))
          }
        }
      }
    }
    if call.method == "POST", case .success(let answer) = outcome, let answer = Self.read(answer) {
      for name in Self.answerMembers {
        guard let value = Self.text(answer[name]) else { continue }
        write(name, value, into: &writer)
      }
    }
  }

  private static func read(_ json: [UInt8]) -> JSONNode? {
    guard !json.isEmpty, json.count <= readByteCount else { return nil }
    guard let root = try? JSONDocument(json).root, root.kind == .object else { return nil }
    return root
  }

  private static func text(_ node: JSONNode?) -> String? {
    node?.string ?? node?.integer.map { String($0) }
  }
}
