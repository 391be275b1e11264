import Channels
import Crypto
import HTTP1
import ParleyProtocol
import ShardMessages
import Transport

/// The calls of a shard's connections that wait for their outcome before they are written down.
///
/// Outcomes come also for calls whose client is gone.
struct PendingAudits {
  private var calls: [ExchangeAddress: AuditCall] = [:]

  mutating func begin(_ call: AuditCall, _ address: ExchangeAddress) { calls[address] = call }

  mutating func end(_ address: ExchangeAddress) -> AuditCall? {
    calls.isEmpty ? nil : calls.removeValue(forKey: address)
  }
}

extension Shard {
  /// Describes a call for the audit log; `nil` when it does not belong there.
  func auditCall(
    _ exchange: Exchange, _ route: Routes.Route, _ arguments: PathArguments, body: [UInt8]
  ) -> AuditCall? {
    guard let audit = services.audit,
      AuditCall.isRecorded(route, includesMessages: audit.includesMessages)
    else { return nil }
    let head = exchange.head
    return AuditCall(
      time: services.clock.now,
      token: services.apiTokens.name(of: TokenDigest(of: head.fields["Api-Token"] ?? "")),
      client: exchange.connection.clientText, method: head.method, path: String(head.path),
      arguments: arguments.all, body: body)
  }

  /// Keeps a call until its outcome is known.
  func beginAudit(_ call: AuditCall?, _ exchange: Exchange.ID) {
    guard let call else { return }
    audits.begin(call, ExchangeAddress(exchange, on: handle))
  }

  /// Writes a call down with its outcome.
  func endAudit(_ address: ExchangeAddress, _ outcome: CallOutcome) {
    guard let call = audits.end(address) else { return }
    services.audit?.write(AuditRecord(call: call, outcome: outcome))
  }
}
