/// One request that writes to an upload, from its head to its answer.
///
/// It finds the upload, claims it, so that no other request writes, hands the body's bytes to the file,
/// has what has come recorded from time to time and at the end, and completes the file when all of it
/// is there. What is recorded is durable. A request that is cut leaves what came of it, unless a
/// checksum was promised for the piece. When the claim is gone, the upload was cancelled, has expired
/// or was taken over, and nothing of the request counts any more.
///
/// Times are milliseconds of any steady clock; the record's are Unix time.
package struct Transfer: Sendable {
  /// Bytes after which what has come is recorded.
  ///
  /// Rare: each time, the disk has to be waited for, which messages are waiting for too.
  package static let recordByteCount: Int64 = 64 << 20
  /// The time after which what has come is recorded.
  package static let recordInterval: Int64 = 10_000
  /// The bytes not yet taken by the file above which no more is read.
  private static let highWaterMark: Int64 = 524_288
  private static let lowWaterMark: Int64 = 131_072
  /// Times that a claim is tried when the record changes under it.
  private static let claimLimit = 3

  private enum Phase: Sendable {
    case finding
    case claiming(UploadRecord, at: Int64)
    case opening
    /// The body's bytes go to the file.
    case receiving
    /// No more of the body counts: what was taken is written, then the piece is judged.
    case flushing
    case verifying
    case dropping
    case synchronizing
    case recording
    case completing
    case finishing
    case ended
  }

  private enum Body: Sendable, Hashable {
    case coming
    case ended
    case cut
  }

  private let request: TransferRequest
  private var phase = Phase.finding
  private var body = Body.coming
  private var record: UploadRecord?
  private var claimCount = 0
  /// The offset at which the request began.
  private var start: Int64 = 0
  /// Bytes of the body that are kept until the file is open.
  private var keptCount: Int64 = 0
  /// Bytes of the body that were handed to the file.
  private var acceptedCount: Int64 = 0
  private var writtenCount: Int64 = 0
  /// The offset that the store has.
  private var recordedOffset: Int64 = 0
  /// The offset that is on its way to the disk and the store while more comes.
  private var nextOffset: Int64 = 0
  private var recordedAt: Int64 = 0
  private var isRecording = false
  private var isPaused = true
  /// The refusal that is answered once what came is safe.
  private var refusal: UploadRefusal?

  package init(_ request: TransferRequest) {
    self.request = request
  }

  /// Whether the answer was given and nothing is owed to the file or the store.
  package var hasEnded: Bool {
    if case .ended = phase { true } else { false }
  }

  /// The upload, once it is claimed.
  package var upload: UploadRecord? { record }

  package mutating func handle(
    _ input: TransferInput, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    switch input {
    case .begun: actions.append(.find)
    case .found(let found): didFind(found, at: now, into: &actions)
    case .claimed(let term): didClaim(term, at: now, into: &actions)
    case .claimTaken: retry(into: &actions)
    case .noRoom: refuse(.full, into: &actions)
    case .opened: didOpen(at: now, into: &actions)
    case .received(let count): receive(Int64(count), into: &actions)
    case .written(let count): didWrite(Int64(count), at: now, into: &actions)
    case .bodyEnded: endBody(.ended, into: &actions)
    case .bodyCut: endBody(.cut, into: &actions)
    case .digest(let matches): didVerify(matches, into: &actions)
    case .dropped: synchronize(into: &actions)
    case .synchronized: didSynchronize(into: &actions)
    case .recorded(let offset): didRecord(offset, at: now, into: &actions)
    case .completed: didComplete(into: &actions)
    case .finished: didFinish(into: &actions)
    case .lost, .cancelled: fail(.gone, into: &actions)
    case .storeFailed: fail(.storage, into: &actions)
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
    case .begin(let offset):
      guard body != .cut || keptCount > 0 else { return phase = .ended }
      claimCount += 1
      phase = .claiming(found, at: offset)
      actions.append(.claim(found, at: offset))
    }
  }

  private mutating func retry(into actions: inout [TransferAction]) {
    guard case .claiming = phase else { return }
    guard claimCount < Self.claimLimit else { return refuse(.locked, into: &actions) }
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
    start = offset
    recordedOffset = offset
    recordedAt = now.steady
    phase = .opening
    actions.append(.open(found, at: offset))
  }

  private mutating func didOpen(
    at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    guard case .opening = phase else { return }
    phase = .receiving
    guard keptCount <= size - start else {
      refusal = .tooLarge(size)
      return flush(into: &actions)
    }
    if keptCount > 0 {
      acceptedCount = keptCount
      actions.append(.writeKept)
    }
    if body == .coming { resumeIfLow(into: &actions) } else { flush(into: &actions) }
  }

  // MARK: The body

  private var size: Int64 { record?.size ?? 0 }
  private var waitingCount: Int64 { acceptedCount - writtenCount }
  private var offset: Int64 { start + writtenCount }

  private mutating func receive(_ count: Int64, into actions: inout [TransferAction]) {
    switch phase {
    case .finding, .claiming, .opening:
      keptCount += count
      actions.append(.keep)
    case .receiving:
      guard start + acceptedCount + count <= size else {
        refusal = .tooLarge(size)
        return flush(into: &actions)
      }
      acceptedCount += count
      actions.append(.write)
      if waitingCount > Self.highWaterMark { isPaused = true }
    case .flushing, .verifying, .dropping, .synchronizing, .recording, .completing, .finishing,
      .ended:
      break
    }
  }

  /// Whether the host stops reading the body until ``TransferAction/resume``.
  package var pausesBody: Bool { isPaused }

  private mutating func resumeIfLow(into actions: inout [TransferAction]) {
    guard isPaused, waitingCount <= Self.lowWaterMark else { return }
    isPaused = false
    actions.append(.resume)
  }

  private mutating func didWrite(
    _ count: Int64, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    writtenCount += count
    switch phase {
    case .receiving:
      recordIfDue(at: now, into: &actions)
      resumeIfLow(into: &actions)
    case .flushing: judgeIfWritten(into: &actions)
    case .finding, .claiming, .opening, .verifying, .dropping, .synchronizing, .recording,
      .completing, .finishing, .ended:
      break
    }
  }

  /// Has what is written recorded while more comes; a piece with a checksum counts only as a whole.
  private mutating func recordIfDue(at now: TransferMoment, into actions: inout [TransferAction]) {
    guard request.checksum == nil, !isRecording, offset < size,
      offset - recordedOffset >= Self.recordByteCount
        || offset > recordedOffset && now.steady - recordedAt >= Self.recordInterval
    else { return }
    isRecording = true
    nextOffset = offset
    actions.append(.synchronize)
  }

  private mutating func endBody(_ end: Body, into actions: inout [TransferAction]) {
    guard body == .coming else { return }
    body = end
    if case .receiving = phase { flush(into: &actions) }
  }

  // MARK: Judging what came

  private mutating func flush(into actions: inout [TransferAction]) {
    phase = .flushing
    judgeIfWritten(into: &actions)
  }

  private mutating func judgeIfWritten(into actions: inout [TransferAction]) {
    // A record under way is waited for, so that the last one is the last.
    guard case .flushing = phase, waitingCount == 0, !isRecording else { return }
    if request.checksum != nil {
      if refusal == nil, body == .ended {
        phase = .verifying
        actions.append(.verify)
      } else {
        drop(into: &actions)
      }
    } else {
      conclude(into: &actions)
    }
  }

  private mutating func didVerify(_ matches: Bool, into actions: inout [TransferAction]) {
    guard case .verifying = phase else { return }
    guard matches else {
      refusal = .checksum
      return drop(into: &actions)
    }
    conclude(into: &actions)
  }

  private mutating func drop(into actions: inout [TransferAction]) {
    writtenCount = 0
    acceptedCount = 0
    phase = .dropping
    actions.append(.drop(to: start))
  }

  /// Completes the file if all of it is there, or records what is.
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

  private mutating func didSynchronize(into actions: inout [TransferAction]) {
    switch phase {
    case .synchronizing:
      phase = .recording
      actions.append(.record(offset, .last))
    case .receiving, .flushing: actions.append(.record(nextOffset, .more))
    case .finding, .claiming, .opening, .verifying, .dropping, .recording, .completing, .finishing,
      .ended:
      break
    }
  }

  private mutating func didRecord(
    _ recorded: Int64, at now: TransferMoment, into actions: inout [TransferAction]
  ) {
    recordedOffset = recorded
    recordedAt = now.steady
    isRecording = false
    switch phase {
    case .flushing: judgeIfWritten(into: &actions)
    case .recording:
      phase = .ended
      actions.append(.close)
      answer(refusal.map(TransferAnswer.refused) ?? .progress(recorded), into: &actions)
    case .finding, .claiming, .opening, .receiving, .verifying, .dropping, .synchronizing,
      .completing, .finishing, .ended:
      break
    }
  }

  private mutating func didComplete(into actions: inout [TransferAction]) {
    guard case .completing = phase else { return }
    phase = .finishing
    actions.append(.finish)
  }

  private mutating func didFinish(into actions: inout [TransferAction]) {
    guard case .finishing = phase, var record else { return }
    phase = .ended
    record.stage = .complete
    record.offset = record.size
    self.record = record
    answer(.complete(record, .now), into: &actions)
  }

  // MARK: Ends

  private mutating func answer(_ answer: TransferAnswer, into actions: inout [TransferAction]) {
    actions.append(.answer(answer))
  }

  /// Ends a request that has not begun to write.
  private mutating func refuse(_ refusal: UploadRefusal, into actions: inout [TransferAction]) {
    phase = .ended
    answer(.refused(refusal), into: &actions)
  }

  /// Ends a request that can record nothing any more.
  private mutating func fail(_ refusal: UploadRefusal, into actions: inout [TransferAction]) {
    guard !hasEnded else { return }
    phase = .ended
    actions.append(.close)
    answer(.refused(refusal), into: &actions)
  }

  /// Ends after the file has failed: what was recorded is what counts.
  private mutating func didFail(_ failure: PartialFileFailure, into actions: inout [TransferAction])
  {
    switch phase {
    case .finding, .claiming, .recording, .finishing, .ended: return
    case .opening, .receiving, .flushing, .verifying, .dropping, .synchronizing, .completing: break
    }
    phase = .recording
    switch failure {
    case .full:
      refusal = .full
      actions.append(.record(recordedOffset, .last))
    case .shrunk(let offset):
      // The disk has lost what the store knew: the client continues where the file ends.
      refusal = .offset(offset)
      actions.append(.record(offset, .last))
    case .storage:
      refusal = .storage
      actions.append(.record(recordedOffset, .last))
    }
  }
}
