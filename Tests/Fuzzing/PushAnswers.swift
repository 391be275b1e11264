import Push

/// Reads any bytes as the answers of push services and of the service for their tokens, and as the file of
/// a service account.
///
/// Only documented answers lose a token or renew a credential.
enum PushAnswersHarness: Harness {
  private static let statuses = [200, 201, 400, 401, 403, 404, 410, 413, 429, 500, 503, 302, 0]

  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    let status = source.choice(statuses)
    let registeredAt = source.int64()
    let retryAfter = source.flag() ? source.text(upTo: 24) : nil
    let body = source.rest()
    let answer = PushAnswer(status: status, retryAfter: retryAfter, body: body)
    let outcomes = [
      APNsAnswers.outcome(of: answer, registeredAt: registeredAt, at: 0),
      FCMAnswers.outcome(of: answer, at: 0), WebPushAnswers.outcome(of: answer, at: 0),
    ]
    for outcome in outcomes { check(outcome, status) }
    if let token = AccessToken(status: status, body: body, at: 1_000) {
      precondition(status == 200 && !token.value.utf8.contains { $0 <= 0x20 || $0 > 0x7e })
      precondition((1_000...4_600).contains(token.expiresAt))
    }
    if let account = try? ServiceAccount(body) {
      precondition(!account.tokenURL.utf8.contains { $0 <= 0x20 || $0 > 0x7e })
    }
  }

  private static func check(_ outcome: PushOutcome, _ status: Int) {
    switch outcome {
    case .sent: precondition((200...299).contains(status))
    case .forgetToken: precondition([400, 403, 404, 410].contains(status))
    case .renewCredential: precondition([401, 403].contains(status))
    case .tooLarge: precondition(status == 413)
    case .wait(let wait, _): precondition((0...86_400_000).contains(wait ?? 0))
    case .alarm, .failed: precondition(status != 200)
    }
    var attempts = PushAttempts(createdAt: 0)
    switch attempts.receive(outcome, at: 0, maximumAge: 3_600_000, random: 7) {
    case .again(let time): precondition((1...3_600_000).contains(time))
    case .finished, .againWithNewCredential, .againWithoutBody: break
    }
  }
}
