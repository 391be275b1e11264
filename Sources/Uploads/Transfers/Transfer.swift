/// One request that writes to an upload, from its head to its answer.
///
/// It finds the upload and claims it, so that no other request writes. It passes the body's bytes to the
/// file, records the received bytes periodically and at the end, and completes the file when all bytes
/// have been received. Recorded bytes are durable. An interrupted request leaves the bytes received,
/// unless a checksum was announced for the piece. When the claim is lost, the upload was cancelled, has
/// expired or was taken over, and nothing of the request counts.
///
/// The claim is renewed as long as the request lasts, whatever it waits for. A request whose claim
/// cannot be renewed ends before another one may begin: both would write to one file.
///
/// Times are milliseconds of any monotonic clock; the record's are Unix time.
package struct Transfer: Sendable {
  /// The time for which a claim is valid without renewal.
  package static let claimTime = TransferClaim.duration
  /// The time between two ticks while a request holds a claim.
  package static let tickInterval: Int64 = 5_000

  private enum Phase: Sendable {
    case finding
    case claiming(UploadRecord, at: Int64)
    case opening
    /// The body's bytes are written to the file.
    case receiving
    /// The rest of the body is ignored: accepted bytes are written, then the piece is judged.
    case flushing
    case verifying
    /// The claim is being renewed, so that the piece can be removed from the file.
    case confirming
    case dropping
    case synchronizing
    /// The file failed while a record was in progress.
    case settling
    /// The record that ends the claim is in progress.
    case recording
    case completing
    case finishing
    case ended

    /// Whether the request has a claim to renew; an action that ends a claim decides by itself.
    var keepsClaim: Bool {
      switch self {
      case .finding, .claiming, .recording, .finishing, .ended: false
      case .opening, .receiving, .flushing, .verifying, .confirming, .dropping, .synchronizing,
        .settling, .completing:
        true
      }
    }
  }

  private let request: TransferRequest
  private var phase = Phase.finding
  private var body = TransferBody()
  private var claim = TransferClaim()
  private var record: UploadRecord?
  private var checkpoint = TransferCheckpoint()
  /// The refusal to answer with once the received bytes are safe.
  private var refusal: UploadRefusal?

  package init(_ request: TransferRequest) {
    self.request = request
  }

  /// Whether the answer was given and no work for the file or the store is left.
  package var hasEnded: Bool {
    if case .ended = phase { true } else { false }
  }

  /// The upload, once claimed.
  package var upload: UploadRecord? { record }

  package mutating func handle(
    _ input: TransferInput, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    switch input {
    case .begun: actions.append(.find)
    case .found(let found): didFind(found, at: now, into: &actions)
    case .claimed(let term): didClaim(term, at: now, into: &actions)
    case .claimTaken: retry(into: &actions)
    case .noRoom: runOutOfRoom(at: now, into: &actions)
    case .tooFast(let wait): refuse(.tooFast(retryAfter: wait), into: &actions)
    case .opened: didOpen(at: now, into: &actions)
    case .received(let count): receive(Int64(count), at: now, into: &actions)
    case .written(let count): didWrite(Int64(count), at: now, into: &actions)
    case .bodyEnded: endBody(.ended, at: now, into: &actions)
    case .bodyCut: endBody(.cut, at: now, into: &actions)
    case .digest(let matches): didVerify(matches, at: now, into: &actions)
    case .dropped: synchronize(into: &actions)
    case .synchronized(let offset): didSynchronize(offset, at: now, into: &actions)
    case .recorded(let offset): didRecord(offset, at: now, into: &actions)
    case .completed: didComplete(into: &actions)
    case .finished(let expiry): didFinish(expiresAt: expiry, into: &actions)
    case .ticked: tick(at: now, into: &actions)
    case .renewed(let holds): didRenew(holds, into: &actions)
    case .lost, .cancelled: fail(.gone, into: &actions)
    case .storeFailed: fail(.storage, into: &actions)
    case .keysFailed(let reason): fail(.keys(reason), into: &actions)
    case .failed(let failure): didFail(failure, into: &actions)
    }
  }

  // MARK: Beginning

  private mutating func didFind(
    _ found: UploadRecord?, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    guard case .finding = phase else { return }
    guard let found else { return refuse(.unknown, into: &actions) }
    record = found
    switch found.admission(of: request, at: now.unix) {
    case .refused(let refusal): refuse(refusal, into: &actions)
    case .complete:
      phase = .ended
      actions.append(.answer(.complete(found, .before)))
    case .begin(let offset) where request.changesNothing(of: found):
      phase = .ended
      answer(.progress(offset), into: &actions)
    case .begin(let offset):
      guard body.end != .cut || body.keptCount > 0 else { return phase = .ended }
      claim.attempt(at: now.steady)
      phase = .claiming(found, at: offset)
      actions.append(.claim(found, at: offset))
    }
  }

  private mutating func retry(into actions: inout [TransferAction]) {
    guard case .claiming = phase else { return }
    guard claim.canBeTriedAgain else { return refuse(.locked, into: &actions) }
    phase = .finding
    actions.append(.find)
  }

  private mutating func didClaim(
    _ term: Int64, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    guard case .claiming(var found, let offset) = phase else { return }
    found.term = term
    found.offset = offset
    record = found
    body.begin(at: offset)
    checkpoint.note(offset, at: now.steady)
    phase = .opening
    actions.append(.open(found, at: offset))
  }

  private mutating func didOpen(
    at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    guard case .opening = phase else { return }
    phase = .receiving
    guard refusal == nil else { return flush(at: now, into: &actions) }
    guard body.acceptKept(size: size) else {
      refusal = .tooLarge(size)
      return flush(at: now, into: &actions)
    }
    if body.keptCount > 0 { actions.append(.writeKept) }
    if body.end == .coming { resumeIfLow(into: &actions) } else { flush(at: now, into: &actions) }
  }

  // MARK: The claim

  private mutating func tick(at now: TransferMoment, into actions: inout [TransferAction]) {
    guard phase.keepsClaim else { return }
    switch claim.age(at: now.steady) {
    case .fresh: break
    case .due: if checkpoint.work != .storing { renew(at: now, into: &actions) }
    case .over: fail(.storage, into: &actions)
    }
  }

  private mutating func renew(at now: TransferMoment, into actions: inout [TransferAction]) {
    if claim.beginRenewal(at: now.steady) { actions.append(.renew) }
  }

  private mutating func didRenew(_ holds: Bool, into actions: inout [TransferAction]) {
    guard let askedAt = claim.endRenewal() else { return }
    guard phase.keepsClaim else { return }
    guard holds else { return fail(.gone, into: &actions) }
    claim.prolong(askedAt: askedAt)
    if case .confirming = phase { drop(into: &actions) }
  }

  // MARK: The body

  private var size: Int64 { record?.size ?? 0 }
  private var offset: Int64 { body.offset }

  private mutating func receive(
    _ count: Int64, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    switch phase {
    case .finding, .claiming, .opening:
      body.keep(count)
      actions.append(.keep)
    case .receiving:
      guard body.accept(count, size: size) else {
        refusal = .tooLarge(size)
        return flush(at: now, into: &actions)
      }
      actions.append(.write)
    case .flushing, .verifying, .confirming, .dropping, .synchronizing, .settling, .recording,
      .completing, .finishing, .ended:
      break
    }
  }

  /// Whether the host stops reading the body until ``TransferAction/resume``.
  package var pausesBody: Bool { body.isPaused }

  private mutating func resumeIfLow(into actions: inout [TransferAction]) {
    if body.resumeIfLow() { actions.append(.resume) }
  }

  private mutating func didWrite(
    _ count: Int64, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    body.didWrite(count)
    switch phase {
    case .receiving:
      recordIfDue(at: now, into: &actions)
      resumeIfLow(into: &actions)
    case .flushing: judgeIfWritten(at: now, into: &actions)
    case .finding, .claiming, .opening, .verifying, .confirming, .dropping, .synchronizing,
      .settling, .recording, .completing, .finishing, .ended:
      break
    }
  }

  /// Records the written bytes while more arrive; a piece with a checksum counts only as a whole.
  private mutating func recordIfDue(at now: TransferMoment, into actions: inout [TransferAction]) {
    guard request.checksum == nil, offset < size,
      checkpoint.beginIfDue(at: offset, now: now.steady)
    else { return }
    actions.append(.synchronize)
  }

  private mutating func endBody(
    _ end: TransferBody.End, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    guard body.end == .coming else { return }
    body.finish(end)
    if case .receiving = phase { flush(at: now, into: &actions) }
  }

  // MARK: Judging the received bytes

  private mutating func flush(at now: TransferMoment, into actions: inout [TransferAction]) {
    phase = .flushing
    judgeIfWritten(at: now, into: &actions)
  }

  private mutating func judgeIfWritten(
    at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    // A record in progress is waited for, so that the final record comes last.
    guard case .flushing = phase, body.isWritten, checkpoint.work == .idle else { return }
    if request.checksum != nil {
      if refusal == nil, body.end == .ended {
        phase = .verifying
        actions.append(.verify)
      } else {
        confirm(at: now, into: &actions)
      }
    } else {
      conclude(into: &actions)
    }
  }

  private mutating func didVerify(
    _ matches: Bool, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    guard case .verifying = phase else { return }
    guard matches else {
      refusal = .checksum
      return confirm(at: now, into: &actions)
    }
    conclude(into: &actions)
  }

  /// Verifies the claim before the file is truncated, which may belong to another request by now.
  private mutating func confirm(at now: TransferMoment, into actions: inout [TransferAction]) {
    phase = .confirming
    renew(at: now, into: &actions)
  }

  private mutating func drop(into actions: inout [TransferAction]) {
    body.drop()
    phase = .dropping
    actions.append(.drop(to: body.start))
  }

  /// Completes the file if all bytes have been received, or records those that have.
  private mutating func conclude(into actions: inout [TransferAction]) {
    if offset == size, refusal == nil {
      phase = .completing
      return actions.append(.complete)
    }
    if case .whole = request.extent, refusal == nil {
      refusal = .incomplete(expected: size, received: offset)
    }
    synchronize(into: &actions)
  }

  private mutating func synchronize(into actions: inout [TransferAction]) {
    phase = .synchronizing
    actions.append(.synchronize)
  }

  private mutating func didSynchronize(
    _ offset: Int64, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    switch phase {
    case .synchronizing:
      phase = .recording
      actions.append(.record(offset, .last))
    case .receiving, .flushing:
      // Clients consider an upload at its end complete, which it is not yet.
      guard offset < size else {
        checkpoint.cancel()
        return judgeIfWritten(at: now, into: &actions)
      }
      checkpoint.beginStoring(at: now.steady)
      actions.append(.record(offset, .more))
    case .finding, .claiming, .opening, .verifying, .confirming, .dropping, .settling, .recording,
      .completing, .finishing, .ended:
      break
    }
  }

  private mutating func didRecord(
    _ recorded: Int64, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    checkpoint.note(recorded, at: now.steady)
    claim.prolong(askedAt: checkpoint.askedAt)
    switch phase {
    case .flushing: judgeIfWritten(at: now, into: &actions)
    case .settling: endClaim(into: &actions)
    case .recording:
      phase = .ended
      actions.append(.close)
      answer(refusal.map(TransferAnswer.refused) ?? .progress(recorded), into: &actions)
    case .finding, .claiming, .opening, .receiving, .verifying, .confirming, .dropping,
      .synchronizing, .completing, .finishing, .ended:
      break
    }
  }

  private mutating func didComplete(into actions: inout [TransferAction]) {
    guard case .completing = phase else { return }
    phase = .finishing
    actions.append(.finish)
  }

  private mutating func didFinish(
    expiresAt expiry: Int64, into actions: inout [TransferAction]
  ) {
    guard case .finishing = phase, var record else { return }
    phase = .ended
    record.stage = .complete
    record.expiresAt = expiry
    record.offset = record.size
    self.record = record
    answer(.complete(record, .now), into: &actions)
  }

  // MARK: Ends

  /// Ends the request, after the received bytes are recorded.
  private mutating func runOutOfRoom(
    at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    switch phase {
    case .finding, .claiming: refuse(.full, into: &actions)
    case .receiving:
      refusal = .full
      flush(at: now, into: &actions)
    // Bytes kept in memory no longer count.
    case .opening: refusal = .full
    case .flushing, .verifying, .confirming, .dropping, .synchronizing, .settling,
      .recording, .completing, .finishing, .ended:
      break
    }
  }

  private mutating func answer(_ answer: TransferAnswer, into actions: inout [TransferAction]) {
    actions.append(.answer(answer))
  }

  /// Ends a request that has not started writing.
  private mutating func refuse(_ refusal: UploadRefusal, into actions: inout [TransferAction]) {
    phase = .ended
    answer(.refused(refusal), into: &actions)
  }

  /// Ends a request that can no longer record anything.
  private mutating func fail(_ refusal: UploadRefusal, into actions: inout [TransferAction]) {
    guard !hasEnded else { return }
    phase = .ended
    actions.append(.close)
    answer(.refused(refusal), into: &actions)
  }

  /// Ends the request after the file has failed: only recorded bytes count.
  private mutating func didFail(_ failure: PartialFileFailure, into actions: inout [TransferAction])
  {
    switch phase {
    case .finding, .claiming, .settling, .recording, .finishing, .ended: return
    case .opening, .receiving, .flushing, .verifying, .confirming, .dropping, .synchronizing,
      .completing:
      break
    }
    switch failure {
    case .full: refusal = .full
    case .shrunk(let offset):
      // The disk has lost bytes known to the store: the client continues where the file ends.
      refusal = .offset(offset)
      checkpoint.fallBack(to: offset)
    case .storage: refusal = .storage
    }
    switch checkpoint.work {
    case .idle, .synchronizing: endClaim(into: &actions)
    // The offset being stored counts, together with the rest of an encrypted file stored there.
    case .storing: phase = .settling
    }
  }

  private mutating func endClaim(into actions: inout [TransferAction]) {
    phase = .recording
    actions.append(.record(checkpoint.offset, .last))
  }
}
