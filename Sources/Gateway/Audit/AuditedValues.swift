import Channels
import FloodControl
import ParleyProtocol
import Store

/// Named values as the audit log shows them: JSON, with everything long cut.
struct AuditedValues: Sendable, Equatable {
  /// Longer lists and objects are cut.
  static let countLimit = 100
  /// Longer texts are cut.
  static let textLimit = 1_000

  private struct Member: Sendable, Equatable {
    let name: String
    let json: [UInt8]
  }

  private var members: [Member] = []

  /// Takes the members of an object with these names, except kinds that are not shown.
  init(_ names: [String], of object: JSONNode) {
    for name in names {
      // Answers contain operators with their profiles, requests contain their ids.
      let node =
        object.present(name) ?? (name == "operator_ids" ? object.present("operators") : nil)
      guard let json = node.flatMap(Self.json) else { continue }
      members.append(Member(name: name, json: json))
    }
  }

  init() {}

  var isEmpty: Bool { members.isEmpty }

  /// The names, in the order in which they are written.
  var names: [String] { members.map(\.name) }

  /// The approximate memory that the values take.
  var byteCount: Int { members.reduce(0) { $0 + $1.name.utf8.count + $1.json.count } }

  /// Returns the values whose names satisfy the predicate.
  func filter(_ isIncluded: (String) -> Bool) -> AuditedValues {
    var values = self
    values.members.removeAll { !isIncluded($0.name) }
    return values
  }

  /// Returns these values, with the values of `others` that have other names.
  func merged(with others: AuditedValues) -> AuditedValues {
    var values = self
    values.members += others.members.filter { other in
      !members.contains { $0.name == other.name }
    }
    return values
  }

  /// Whether a value is the same in both, or missing from both.
  func agrees(with other: AuditedValues, on name: String) -> Bool { json(name) == other.json(name) }

  /// Writes the values as one object.
  func encode(into writer: inout JSONWriter) {
    writer.object {
      for member in members {
        $0.name(escaping: member.name)
        $0.value(raw: member.json)
      }
    }
  }

  private func json(_ name: String) -> [UInt8]? { members.first { $0.name == name }?.json }

  private mutating func set(_ name: String, _ write: (inout JSONWriter) -> Void) {
    members.append(Member(name: name, json: JSONWriter.bytes(write)))
  }

  /// Encodes a string, an integer, a Boolean, a list of names, or an object of integers.
  private static func json(_ node: JSONNode) -> [UInt8]? {
    switch node.kind {
    case .string:
      let text = String((node.string ?? "").prefix(textLimit))
      return JSONWriter.bytes { $0.value(text) }
    case .number: return node.integer.map { number in JSONWriter.bytes { $0.value(number) } }
    case .bool: return node.bool.map { claim in JSONWriter.bytes { $0.value(claim) } }
    case .array:
      let names = node.elements.prefix(countLimit).compactMap { element in
        element.string ?? element["user_id"]?.string
      }
      return list(names)
    case .object:
      let numbers = node.members.prefix(countLimit).compactMap { name, node in
        node.integer.map { (name: name, number: $0) }
      }
      return object(numbers)
    case .null: return nil
    }
  }

  private static func list(_ names: [String]) -> [UInt8] {
    JSONWriter.bytes {
      $0.array { for name in names { $0.value(String(name.prefix(textLimit))) } }
    }
  }

  private static func object(_ numbers: [(name: String, number: Int64)]) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        for (name, number) in numbers {
          $0.name(escaping: String(name.prefix(textLimit)))
          $0.value(number)
        }
      }
    }
  }
}

extension AuditedValues {
  /// Takes the counters with these names, or all counters if there are no names.
  init(counters: [String: Int64], among keys: [String]) {
    let shown = counters.filter { keys.isEmpty || keys.contains($0.key) }
      .sorted { $0.key < $1.key }.prefix(Self.countLimit)
    guard !shown.isEmpty else { return }
    let json = Self.object(shown.map { (name: $0.key, number: $0.value) })
    members = [Member(name: "metacounter", json: json)]
  }

  /// Takes the counters with these names from an answer, whose members are the counters themselves.
  init(countersIn answer: JSONNode, among keys: [String]) {
    let counters = answer.members.compactMap { name, node in node.integer.map { (name, $0) } }
    self.init(counters: Dictionary(counters) { $1 }, among: keys)
  }

  init(flood: RateLimit, throttle: RateLimit) {
    for (name, limit) in [("flood", flood), ("throttle", throttle)] {
      set(name) {
        $0.object {
          $0.member("messages", limit.count)
          $0.member("window_ms", limit.windowMilliseconds)
        }
      }
    }
  }

  init(_ channel: Channel) {
    set("name") { $0.value(channel.name) }
    set("custom_type") { $0.value(channel.customType) }
    set("is_ephemeral") { $0.value(channel.isEphemeral) }
    set("freeze") { $0.value(channel.isFrozen) }
    let operators = channel.operators.prefix(Self.countLimit).map(\.id)
    members.append(Member(name: "operator_ids", json: Self.list(operators)))
    set("message_survival_seconds") { $0.value(channel.survivalSeconds ?? -1) }
    guard let group = channel.group else { return }
    set("is_distinct") { $0.value(group.isDistinct) }
    set("is_super") { $0.value(group.isSuper) }
    set("is_public") { $0.value(group.isPublic) }
  }

  init(_ account: Account) {
    set("nickname") { $0.value(account.user.nickname) }
    set("is_active") { $0.value(account.isActive) }
  }

  init(_ restriction: Restriction) {
    set("start_at") { $0.value(restriction.startsAt) }
    set("end_at") { $0.value(restriction.endsAt) }
  }

  init(_ token: APITokenHolder) {
    set("name") { $0.value(token.name) }
    set("role") { $0.value(token.role.rawValue) }
    set("expires_at") { $0.value(token.expiresAt ?? 0) }
  }

  init(masterKeyID: String) {
    set("key_id") { $0.value(masterKeyID) }
  }
}
