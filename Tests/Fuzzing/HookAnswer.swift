import ParleyProtocol

/// Reads any bytes as the answer of the app's back end about a call, and applies its changes.
///
/// Values that come out of them may stand in a message, a profile, a channel or an error.
enum HookAnswerHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    let hook = source.choice(HookName.allCases)
    let isInGroup = source.flag()
    let answer: HookAnswer
    do throws(HookProblem) { answer = try HookAnswer(source.rest(), to: hook) } catch {
      precondition(!error.description.isEmpty)
      return
    }
    switch answer {
    case .denied(let error): check(error, hook)
    case .allowed(let changes?): apply(changes, hook, isInGroup)
    case .allowed(nil): break
    }
  }

  private static func check(_ error: ServiceError, _ hook: HookName) {
    precondition(
      error.code.isOfApplication || error.code == .notAllowed
        || hook == .sessionOpen && error.code == .invalidAccessToken)
    precondition(!error.message.isEmpty && error.message.unicodeScalars.count <= 250)
    precondition(!error.message.utf8.contains(0))
    if let details = error.data.application {
      precondition(details.utf8.count <= 1_024)
      precondition((try? JSONDocument(details))?.root.kind == .object)
    }
    let reply = JSONWriter.bytes { error.encode(into: &$0) }
    precondition((try? JSONDocument(reply)) != nil, "an error that clients cannot read")
  }

  private static func apply(_ changes: HookChanges, _ hook: HookName, _ isInGroup: Bool) {
    let limits = CustomDataLimits()
    let draft = MessageDraft(text: "text", mentionedUserIDs: ["ann", "ben"])
    if let new = try? draft.changed(by: changes, limits, isInGroup: isInGroup) {
      precondition((1...5_000).contains(new.text.unicodeScalars.count))
      precondition(!new.text.utf8.contains(0) && !new.data.utf8.contains(0))
      precondition(Set(new.mentionedUserIDs).isSubset(of: ["ann", "ben"]))
      precondition(isInGroup || !new.isSilent)
      _ = JSONWriter.bytes { $0.value(raw: new.hookParameters(inChannel: "a", requestID: nil)) }
    }
    let edit = MessageChanges(text: "text")
    if let new = try? edit.changed(by: changes, limits, mentioned: ["ann"]) {
      precondition(new.text?.isEmpty == false)
      precondition(Set(new.mentionedUserIDs ?? []).isSubset(of: ["ann"]))
    }
    let open = SessionOpen(userID: "jeff", accessToken: nil)
    if let new = try? open.changed(by: changes, limits, at: 1_000, namesUser: isInGroup) {
      precondition(isInGroup || new.userID == "jeff")
      precondition((1...80).contains(new.userID.unicodeScalars.count))
      precondition(new.terms.expiresAt.map { $0 > 1_000 } ?? true)
      precondition(new.terms.data.map { $0.count <= SessionTerms.dataBytes } ?? true)
    }
  }
}
