/// The answer of the app's back end about a call.
///
///     {"allow":true}
///     {"allow":true,"changes":{"message":"***"}}
///     {"allow":false,"code":910001,"message":"no addresses here","data":{"rule":7}}
package enum HookAnswer: Sendable {
  /// The call is carried out, with the changes if there are any.
  case allowed(HookChanges?)
  case denied(ServiceError)

  /// The maximum size of an answer in bytes.
  package static let maximumBytes = 65_536

  private static let limits = JSONLimits(byteCount: maximumBytes, depth: 16, nodeCount: 10_000)

  /// Parses an answer.
  ///
  /// Whatever else is in it, an answer with `"allow": false` refuses the call.
  ///
  /// - Throws: A problem with the answer; it contains nothing of the answer's texts.
  package init(_ body: [UInt8], to hook: HookName) throws(HookProblem) {
    let root: JSONNode
    do throws(JSONError) { root = try JSONDocument(body, limits: Self.limits).root } catch {
      throw HookProblem(
        error.kind == .limit ? "the answer is too large or too deep" : "the answer is not JSON")
    }
    guard root.kind == .object else { throw HookProblem("the answer is no JSON object") }
    guard let allow = root["allow"]?.bool else {
      throw HookProblem("the answer has no 'allow' that is true or false")
    }
    guard allow else {
      self = .denied(ServiceError(denialOf: hook, root))
      return
    }
    guard let changes = root.present("changes") else {
      self = .allowed(nil)
      return
    }
    guard changes.kind == .object else { throw HookProblem("'changes' is no JSON object") }
    self = .allowed(HookChanges(changes, for: hook))
  }
}

/// The reason why the app's back end gave no valid answer, for the log and for operators.
package struct HookProblem: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The changes of a call that the app's back end demands.
package struct HookChanges: Sendable {
  private let object: JSONNode

  /// - Returns: `nil` without members that have an effect on the call.
  init?(_ object: JSONNode, for hook: HookName) {
    guard hook.changeable.contains(where: { object.present($0) != nil }) else { return nil }
    self.object = object
  }

  /// The memory of the answer, which the changes keep alive.
  package var byteCount: Int { object.documentByteCount }

  /// The members, which are read with the checks of a client's values.
  package func fields(_ limits: CustomDataLimits) throws(ServiceError) -> Fields {
    try Fields(object, limits: limits)
  }

  /// The JSON of a member that has no fixed form.
  ///
  /// - Throws: 400110 for a longer text.
  package func json(_ name: String, byteLimit: Int) throws(ServiceError) -> [UInt8]? {
    guard let raw = object.present(name)?.raw else { return nil }
    guard raw.count <= byteLimit else { throw .tooLong(name, limit: byteLimit, unit: .bytes) }
    return Array(raw)
  }
}

extension ErrorCode {
  /// The codes that the app's back end gives to calls it refuses.
  package static let ofApplication = 910_000...919_999

  /// Whether the code is one of the app's back end.
  package var isOfApplication: Bool { Self.ofApplication.contains(rawValue) }
}

extension ServiceError {
  /// The maximum length of the text of a refusal by the app's back end, in characters.
  private static let textLength = 250
  /// The maximum size of the details of such a refusal.
  private static let detailBytes = 1_024

  /// Reads a refusal; what is missing or invalid in it has a default.
  fileprivate init(denialOf hook: HookName, _ answer: JSONNode) {
    let number = answer["code"]?.integer.flatMap(Int.init(exactly:))
    let named = number.map { ErrorCode(rawValue: $0) }
    let mayName = named.map {
      $0.isOfApplication || hook == .sessionOpen && $0 == .invalidAccessToken
    }
    var text = answer["message"]?.string ?? ""
    if text.utf8.contains(0) || text.isEmpty { text = "the app's back end refuses this" }
    if text.utf8.count > Self.textLength {
      text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.textLength)))
    }
    self.init(mayName == true ? named ?? .notAllowed : .notAllowed, text)
    if let details = answer.present("data"), details.kind == .object,
      details.raw.count <= Self.detailBytes
    {
      data.application = String(decoding: details.raw, as: UTF8.self)
    }
  }

  /// A call about which the app's back end gave no valid answer.
  ///
  /// - Parameter retryAfter: Milliseconds; spread, so that many callers do not repeat at once.
  package static func hookFailed(_ hook: HookName, retryAfter: Int64) -> ServiceError {
    ServiceError(
      .internalError, "the app's back end gave no valid answer about \(hook.rawValue)",
      data: ErrorDetails(retryAfterMilliseconds: retryAfter, reason: "hook"))
  }
}
