import Channels
import Crypto
import HTTP
import ParleyProtocol
import Store
import Transport

/// The calls of a shard's connections that are recorded once their outcome is known.
///
/// Calls whose client has disconnected have an outcome too.
struct PendingAudits {
  /// Carries out a call.
  typealias Work = () throws(ServiceError) -> Void

  private struct Entry {
    let call: AuditCall
    var former: AuditedValues?
    /// The call itself, while the former state is read.
    var work: Work?
  }

  private var entries: [ExchangeAddress: Entry] = [:]

  /// Keeps a call until its outcome is known, with the work that waits for its former state.
  mutating func begin(_ call: AuditCall, _ address: ExchangeAddress, then work: Work? = nil) {
    entries[address] = Entry(call: call, work: work)
  }

  /// Records the former state of a call, and returns its work.
  mutating func proceed(_ address: ExchangeAddress, from former: AuditedValues?) -> Work? {
    entries[address]?.former = former
    return entries[address]?.work.take()
  }

  mutating func end(_ address: ExchangeAddress, _ outcome: CallOutcome) -> AuditRecord? {
    guard !entries.isEmpty, let entry = entries.removeValue(forKey: address) else { return nil }
    return AuditRecord(call: entry.call, former: entry.former, outcome: outcome)
  }
}

extension Shard {
  /// Describes a call for the audit log; `nil` when it does not belong there.
  func auditCall(
    _ exchange: Exchange, _ route: Routes.Route, _ arguments: PathArguments,
    _ query: QueryParameters, body: [UInt8]
  ) -> AuditCall? {
    guard let audit = services.audit,
      AuditCall.isRecorded(route, includesMessages: audit.includesMessages),
      let action = AuditedAction(ofPath: route.pattern.description)
    else { return nil }
    let head = exchange.head
    return AuditCall(
      time: services.clock.now,
      token: services.apiTokens.name(of: TokenDigest(of: head.fields["Api-Token"] ?? "")),
      client: exchange.connection.clientText, trace: CallTrace(head), method: head.method,
      path: String(head.path),
      action: action, arguments: arguments.all, query: query.values, body: body)
  }

  /// Carries out a call: at once, or after reading the former state that the audit log shows.
  ///
  /// - Throws: The refusal of a call that was carried out at once, which is recorded.
  func carryOut(
    _ call: AuditCall?, _ exchange: Exchange.ID, _ work: @escaping PendingAudits.Work
  ) throws(ServiceError) {
    guard let call else { return try work() }
    let address = ExchangeAddress(exchange, on: handle)
    guard let object = call.object else {
      audits.begin(call, address)
      do throws(ServiceError) { return try work() } catch {
        endAudit(address, .failure(error))
        throw error
      }
    }
    audits.begin(call, address, then: work)
    let path = returnPath
    services.readState(of: object) { former in
      path.resume { $0.proceed(address, from: former) }
    }
  }

  /// Records a call with its outcome.
  func endAudit(_ address: ExchangeAddress, _ outcome: CallOutcome) {
    if let record = audits.end(address, outcome) { services.audit?.write(record) }
  }

  private func proceed(_ address: ExchangeAddress, from former: AuditedValues?) {
    guard let work = audits.proceed(address, from: former) else { return }
    do throws(ServiceError) { try work() } catch { respond(.failure(error), to: address) }
  }
}
