import Basics
import Channels
import ParleyProtocol
import Telemetry

/// A call with its outcome: one line of the audit log.
///
///     {"time":"…","token":{"id":"4f2a…","name":"shop"},"address":"10.0.0.7:51234","method":"PUT",
///      "path":"/v3/open_channels/lobby","object":{"channel_url":"lobby"},"status":200,
///      "before":{"name":"Lobby"},"after":{"name":"Hall"},"fields":["data"]}
///
/// Only the names of things and the values of ``AuditedAction`` are copied from bodies and answers: no
/// texts, and no tokens.
struct AuditRecord: Sendable {
  let call: AuditCall
  /// The state of the object before the call; `nil` when it is not known.
  let former: AuditedValues?
  let outcome: CallOutcome

  /// Members of bodies that name the object of a call.
  private static let nameMembers: [String] = ["channel_url", "user_id", "message_id"]
  private static let listMembers: [String] = ["user_ids", "operator_ids"]
  /// Members of answers that name the object that a call created.
  private static let answerMembers: [String] = ["channel_url", "user_id", "message_id", "id"]
  /// Query parameters that name the subject of a call, and those whose values are lists.
  private static let queryMembers: [String] = ["delete_all", "domain", "all"]
  private static let queryListMembers: [String] = ["operator_ids", "keys"]
  /// Longer member names are not written.
  private static let longestField = 64
  private static let fieldLimit = 32

  /// The approximate memory that the record takes while it waits.
  var byteCount: Int {
    let answer = if case .success(let answer) = outcome { answer.count } else { 0 }
    return 256 + call.path.utf8.count + call.body.count + answer + (former?.byteCount ?? 0)
  }

  /// The record as one line of JSON, including the line feed at its end.
  var line: [UInt8] {
    let json = JSONWriter.bytes { encode(into: &$0) }
    // User names may contain characters that control the terminal on which the log is read.
    return Array(DisplayText.harmless(json: String(decoding: json, as: UTF8.self)).utf8) + [0x0a]
  }

  private func encode(into writer: inout JSONWriter) {
    let body = AuditCall.parse(call.body)
    writer.object {
      $0.member("time", UTCTime.format(call.time))
      $0.member(
        "token",
        object: {
          $0.member("id", call.token.id)
          if let name = call.token.name { $0.member("name", name) }
        })
      $0.member("address", call.client)
      if let id = call.trace?.requestID { $0.member("request_id", id) }
      if let id = call.trace?.traceID { $0.member("trace_id", id) }
      $0.member("method", call.method)
      $0.member("path", String(call.path.prefix(AuditedValues.textLimit)))
      var named: Set<String> = []
      $0.member("object", object: { encodeObject(body, &named, into: &$0) })
      switch outcome {
      case .success(let answer):
        $0.member("status", 200)
        named.formUnion(encodeChange(body, AuditCall.parse(answer), into: &$0))
      case .failure(let error):
        $0.member("status", error.code.httpStatus)
        $0.member("code", error.code.rawValue)
        let requested = given(body)
        if !requested.isEmpty {
          $0.name("requested")
          requested.encode(into: &$0)
        }
        named.formUnion(requested.names)
      }
      encodeFields(body, except: named, into: &$0)
    }
  }

  // MARK: The object of the call

  /// Writes names from the path, then from the query, the body and the answer.
  ///
  /// - Parameter written: The names of the members that were written.
  private func encodeObject(
    _ body: JSONNode?, _ written: inout Set<String>, into writer: inout JSONWriter
  ) {
    func write(_ name: String, _ value: String) {
      guard written.insert(name).inserted else { return }
      writer.name(escaping: name)
      writer.value(String(value.prefix(AuditedValues.textLimit)))
    }
    func write(_ name: String, _ values: [String]) {
      guard written.insert(name).inserted else { return }
      writer.name(escaping: name)
      writer.array {
        for value in values.prefix(AuditedValues.countLimit) {
          $0.value(String(value.prefix(AuditedValues.textLimit)))
        }
      }
    }
    for (name, value) in call.arguments { write(name, value) }
    for name in Self.queryMembers { if let value = call.query[name] { write(name, value) } }
    // The query of a URL may contain a secret, and so may the user part before its host.
    if let url = call.query["url"]?.prefix(while: { $0 != "?" && $0 != "#" }), !url.contains("@") {
      write("url", String(url))
    }
    for name in Self.queryListMembers {
      if let list = call.query[name] { write(name, list.split(separator: ",").map(String.init)) }
    }
    for name in Self.nameMembers { if let value = Self.text(body?[name]) { write(name, value) } }
    for name in Self.listMembers where !call.action.values.contains(name) {
      guard let list = body?[name], list.kind == .array else { continue }
      write(name, list.elements.compactMap(\.string))
    }
    if let keys = Self.keys(body) { write("keys", keys) }
    if call.method == "POST", case .success(let answer) = outcome {
      let answer = AuditCall.parse(answer)
      for name in Self.answerMembers {
        if let value = Self.text(answer?[name]) { write(name, value) }
      }
    }
  }

  /// The names of metadata and extra data in a body, whose values are texts.
  private static func keys(_ body: JSONNode?) -> [String]? {
    if let metadata = body?["metadata"], metadata.kind == .object {
      return metadata.members.map { $0.name }
    }
    guard let array = body?["sorted_metaarray"], array.kind == .array else { return nil }
    return array.elements.compactMap { $0["key"]?.string }
  }

  private static func text(_ node: JSONNode?) -> String? {
    node?.string ?? node?.integer.map { String($0) }
  }

  // MARK: Changes

  /// The values that the body gives.
  private func given(_ body: JSONNode?) -> AuditedValues {
    body.map { AuditedValues(call.action.values, of: $0) } ?? AuditedValues()
  }

  /// The values of the answer.
  private func state(_ answer: JSONNode?) -> AuditedValues {
    guard let answer else { return AuditedValues() }
    if case .counters = call.action.object {
      return AuditedValues(countersIn: answer, among: call.counterKeys)
    }
    return AuditedValues(call.action.values, of: answer)
  }

  /// Writes the values that the call has set, and the former values.
  ///
  /// A value that is known to be unchanged is written only if the call sets it.
  ///
  /// - Returns: The names of the values that are written.
  private func encodeChange(
    _ body: JSONNode?, _ answer: JSONNode?, into writer: inout JSONWriter
  ) -> [String] {
    let (given, state) = (given(body), state(answer))
    let givenNames = Set(given.names)
    let isShown = { (name: String) in
      givenNames.contains(name) || former?.agrees(with: state, on: name) != true
    }
    let before = former?.filter { call.action.formerValues.contains($0) && isShown($0) }
    let after = state.merged(with: given).filter(isShown)
    if let before, !before.isEmpty {
      writer.name("before")
      before.encode(into: &writer)
    }
    if !after.isEmpty {
      writer.name("after")
      after.encode(into: &writer)
    }
    return after.names
  }

  /// Writes the names of the other members of the body, whose values are not recorded.
  private func encodeFields(
    _ body: JSONNode?, except named: Set<String>, into writer: inout JSONWriter
  ) {
    guard let body else { return }
    let names = body.members.prefix(Self.fieldLimit).map { $0.name }.filter {
      !named.contains($0) && $0.utf8.count <= Self.longestField
    }
    if !names.isEmpty { writer.member("fields", names) }
  }
}
