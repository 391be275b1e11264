import Crypto
import ParleyProtocol
import Store

/// The tickets with which observers open their sessions, below `/v3/parley/tickets`.
enum TicketEndpoints {
  /// `POST`: issues a ticket, which opens one session within 30 seconds.
  static func issue(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let secret = IssuedSecret()
    let now = call.services.clock.now
    let expiresAt = now + APITokens.ticketLifetime
    let issue = TicketIssue(
      hash: secret.digest, token: call.token.bytes, expiresAt: expiresAt, at: now)
    call.perform(issue, completion) { _, writer in
      writer.object {
        $0.member("ticket", secret.text)
        $0.member("expires_at", expiresAt)
      }
    }
  }
}
