import Configuration
import HTTP
import ParleyProtocol
import Reactor
import Crypto
import Store
import Thumbnails
import Transport
import Uploads

/// One request that writes to an upload.
///
/// Performs the actions that its ``Transfer`` decides.
///
/// Confined to the shard of its connection. The store and the file work on other threads.
final class UploadTransfer: HTTPBodyReceiver, TimerHandler {
  /// The form of the answer.
  enum Style: Sendable {
    case put
    case patch
    /// `POST` with the first piece. The answer contains the address.
    case creation(url: String)
  }

  private unowned let shard: Shard
  private let exchange: Exchange.ID
  private let request: TransferRequest
  private let answers: UploadAnswers
  private var secretHash: [UInt8] = []
  private var style: Style
  private var transfer: Transfer
  private var kept: [[UInt8]] = []
  private var keptByteCount = 0
  private var piece: [UInt8] = []
  private var file: (any PartialFile)?
  /// The room for the bytes that have not yet arrived.
  private var room: RoomReservation?
  /// The offset at which the request writes.
  private var start: Int64 = 0
  /// The bytes of the body that have arrived.
  private var cameByteCount: Int64 = 0
  /// The bytes of the file that count as stored.
  private var storedByteCount: Int64 = 0
  private var isListed = false
  /// Fires while the request has a claim, and at the end of a wait for the request's turn.
  private var tick: EventLoop.TimerToken?
  /// The upload to claim when it is the request's turn, and the offset.
  private var postponed: (UploadRecord, Int64)?
  /// The time for which the request has waited for its turn, in milliseconds.
  private var waitedTime: Int64 = 0
  /// Whether the request counts among those of its user.
  private var isCounted = false
  /// The keys of an encrypted file.
  private var sealing: PartialSealing?
  /// The refusal of an interrupted body, until the outcome of the body is recorded.
  private var refusal: HTTPResponse?
  /// The rest of the encrypted file at an offset that is to be recorded.
  private var rest: (offset: Int64, rest: UploadRest)?

  init(
    _ request: TransferRequest, _ style: Style, _ answers: UploadAnswers,
    exchange: Exchange.ID, on shard: Shard
  ) {
    self.request = request
    self.style = style
    self.answers = answers
    self.exchange = exchange
    self.shard = shard
    transfer = Transfer(request)
  }

  /// Starts with the upload at an address.
  func begin(with secretHash: [UInt8]) {
    self.secretHash = secretHash
    handle(.begun)
  }

  /// Starts with a new upload.
  func begin(with secretHash: [UInt8], at url: String) {
    style = .creation(url: url)
    begin(with: secretHash)
  }

  /// Ends a request without a body.
  func endBody() { handle(.bodyEnded) }

  // MARK: The body

  func connection(_ connection: Connection, receivedBody piece: [UInt8]) -> BodyDemand {
    cameByteCount += Int64(piece.count)
    guard hasRoom else {
      handle(.noRoom)
      return .later
    }
    self.piece = piece
    handle(.received(piece.count))
    self.piece = []
    connection.applicationByteCount = keptByteCount + (file?.heldByteCount ?? 0)
    return transfer.pausesBody ? .later : .more
  }

  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome {
    handle(.bodyEnded)
    return .respondLater(onAbandonment: nil)
  }

  /// Records the offset before the answer, because the client then asks where to continue.
  func connection(_ connection: Connection, bodyBrokeOff refusal: HTTPResponse) -> Bool {
    guard self.refusal == nil, !transfer.hasEnded else { return false }
    self.refusal = refusal
    handle(.bodyCut)
    return true
  }

  func bodyWasAbandoned() { handle(.bodyCut) }

  /// Whether there is room for bytes that have arrived and are not stored; checked with a reservation.
  private var hasRoom: Bool {
    guard let room, let upload = transfer.upload else { return true }
    let end = min(upload.size, start + cameByteCount)
    return room.cover(max(0, end - storedByteCount), of: upload.size - storedByteCount)
  }

  // MARK: Actions

  private func handle(_ input: TransferInput) {
    let now = TransferMoment(unix: shard.services.clock.now, steady: shard.loop.now)
    var actions: [TransferAction] = []
    transfer.handle(input, at: now, into: &actions)
    for action in actions { perform(action) }
    if case .recorded(let offset) = input { noteStored(offset) }
    if case .finished = input, let upload = transfer.upload {
      noteStored(upload.size)
      file?.removeRemains()
      file = nil
    }
    if transfer.hasEnded { release() }
    if transfer.hasEnded, let answer = refusal {
      refusal = nil
      shard.transport.respond(answer, to: exchange)
    }
    if transfer.hasEnded, isListed, let upload = transfer.upload {
      isListed = false
      shard.services.uploads.writers.end(upload.fileID, term: upload.term)
    }
    if transfer.hasEnded, let timer = tick {
      tick = nil
      shard.loop.cancel(timer)
    }
  }

  /// Gives back what the request has not used.
  private func release() {
    room = nil
    guard isCounted, let upload = transfer.upload else { return }
    isCounted = false
    guard storedByteCount - start >= UploadPace.freeByteCount else { return }
    shard.services.uploads.writers.giveBack(upload.userID)
  }

  private func perform(_ action: TransferAction) {
    switch action {
    case .find:
      ask(UploadAddressLookup(secretHash: secretHash)) { .found($0) }
    case .claim(let record, let offset): claim(record, from: offset)
    case .open(let record, let offset): open(record, at: offset)
    case .keep:
      kept.append(piece)
      keptByteCount += piece.count
    case .writeKept:
      let pieces = kept
      (kept, keptByteCount) = ([], 0)
      for piece in pieces { write(piece) }
    case .write: write(piece)
    case .resume: shard.transport.resumeBody(of: exchange)
    case .verify:
      file?.verify(request.checksum?.digest ?? [], completion: resumption { .digest(matches: $0) })
    case .drop(let offset): file?.drop(to: offset, completion: resumption { .dropped })
    case .synchronize: synchronize()
    case .record(let offset, let end): record(offset, end)
    case .renew: renew()
    case .complete: file?.complete(completion: resumption { .completed })
    case .finish: finish()
    case .close: file = nil
    case .answer(let answer): give(answer)
    }
  }

  /// Claims an upload when it is the request's turn among those of its user, and the free room is known.
  ///
  /// The body is not read before that: a client that sends small pieces is slowed down, not refused.
  private func claim(_ record: UploadRecord, from offset: Int64) {
    let uploads = shard.services.uploads
    if !isCounted {
      if let wait = uploads.writers.admit(record.userID) {
        return postpone(record, from: offset, by: wait)
      }
      isCounted = true
    }
    let room = uploads.room
    guard !room.isCounted else { return claimCounted(record, from: offset) }
    let (path, transfer) = (shard.returnPath, LoopBound(self))
    room.whenCounted { path.resume { _ in transfer.value.claimCounted(record, from: offset) } }
  }

  /// Makes the request wait for its turn, longer each time: other requests of its user may be faster.
  private func postpone(_ record: UploadRecord, from offset: Int64, by wait: Int64) {
    let pause = max(wait, waitedTime)
    waitedTime += pause
    guard waitedTime <= UploadPace.patience else { return handle(.tooFast(retryAfter: wait)) }
    postponed = (record, offset)
    tick = shard.loop.schedule(after: pause, self)
  }

  private func claimCounted(_ record: UploadRecord, from offset: Int64) {
    // Earlier bytes are stored, even if the request starts over.
    (start, storedByteCount) = (offset, record.offset)
    room = shard.services.uploads.room.reserveStep(
      of: record.size - record.offset, for: record.fileID, of: record.userID)
    guard room != nil, hasRoom else { return handle(.noRoom) }
    let end = shard.services.clock.now + Transfer.claimTime
    var kept: UploadSeal?
    let vault = shard.services.vault
    if record.seal != nil, let problem = vault.masterKeys.problem {
      return handle(.keysFailed(problem.refusal))
    }
    do throws(WrappedKeyError) {
      let found = try vault.sealing(of: record, at: offset)
      (kept, sealing) = (found?.kept, found?.used)
    } catch {
      return handle(.keysFailed(vault.refusal(of: error, ofFile: record.fileID)))
    }
    ask(UploadClaim(record, from: offset, until: end, sealedBy: kept)) {
      $0.map { .claimed(term: $0) } ?? .claimTaken
    }
  }

  private func open(_ record: UploadRecord, at offset: Int64) {
    let (path, transfer) = (shard.returnPath, LoopBound(self))
    isListed = true
    tick = shard.loop.schedule(after: Transfer.tickInterval, self)
    shard.services.uploads.writers.begin(record.fileID, term: record.term) {
      path.resume { _ in transfer.value.handle(.cancelled) }
    }
    let opening = PartialFileRequest(
      id: record.fileID, term: record.term, offset: offset, size: record.size,
      algorithm: request.checksum?.algorithm, sealing: sealing)
    shard.services.files.continueUpload(opening) { result in
      path.resume { _ in transfer.value.didOpen(result) }
    }
  }

  private func didOpen(_ result: Result<any PartialFile, PartialFileFailure>) {
    switch result {
    case .success(let file):
      self.file = file
      handle(.opened)
    case .failure(let failure):
      if sealing != nil, case .shrunk(let offset) = failure {
        rest = (offset, UploadRest(tail: nil, isDirty: true))
      }
      handle(.failed(failure))
    }
  }

  private func synchronize() {
    let (path, transfer) = (shard.returnPath, LoopBound(self))
    file?.synchronize { result in
      path.resume { _ in
        switch result {
        case .success(let progress):
          transfer.value.rest = progress.rest.map { (progress.offset, $0) }
          transfer.value.handle(.synchronized(at: progress.offset))
        case .failure(let failure): transfer.value.handle(.failed(failure))
        }
      }
    }
  }

  private func write(_ bytes: [UInt8]) {
    let count = bytes.count
    shard.services.uploads.counters.add(byteCount: count)
    file?.write(bytes, completion: resumption { .written(count) })
  }

  private func record(_ offset: Int64, _ end: TransferRecord) {
    guard let upload = transfer.upload else { return }
    let until: Int64
    switch end {
    case .more: until = shard.services.clock.now + Transfer.claimTime
    case .last: until = 0
    }
    let record = UploadProgress(
      upload.fileID, term: upload.term, offset: offset, until: until,
      rest: takeRest(at: offset, end))
    ask(record) { $0 ? .recorded(offset) : .lost }
  }

  private func noteStored(_ byteCount: Int64) {
    room?.note(stored: byteCount - storedByteCount)
    storedByteCount = byteCount
  }

  private func renew() {
    guard let upload = transfer.upload else { return }
    let now = shard.services.clock.now
    let renewal = UploadRenewal(
      upload.fileID, term: upload.term, until: now + Transfer.claimTime, at: now)
    ask(renewal) { .renewed($0) }
  }

  private func takeRest(at offset: Int64, _ end: TransferRecord) -> UploadRest? {
    guard var taken = rest, taken.offset == offset else { return nil }
    rest = nil
    switch end {
    case .more: taken.rest.isDirty = true
    case .last: break
    }
    return taken.rest
  }

  private func finish() {
    guard let upload = transfer.upload else { return }
    let now = shard.services.clock.now
    let retention = shard.settings.limits.uploadRetentionSeconds * 1_000
    let expiry = now + retention
    ask(UploadCompletion(upload, at: now, expiresAt: expiry)) {
      $0 ? .finished(expiresAt: expiry) : .lost
    }
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    if let (record, offset) = postponed {
      (postponed, tick) = (nil, nil)
      return claim(record, from: offset)
    }
    tick = shard.loop.schedule(after: Transfer.tickInterval, self)
    handle(.ticked)
  }

  // MARK: The answer

  private func give(_ answer: TransferAnswer) {
    let uploads = shard.services.uploads
    switch answer {
    case .complete(let record, .before):
      refusal = nil
      respond(to: record, .before)
    case .complete(let record, .now):
      refusal = nil
      uploads.counters.add(.completed)
      shard.services.thumbnails.make(
        record.thumbnailSizes, of: record.fileID, for: .user(record.userID))
      guard record.message != nil else { return respond(to: record, .now) }
      let transfer = LoopBound(self)
      shard.sendMessage(of: record) { _, record in transfer.value.respond(to: record, .now) }
    case .progress(let offset):
      guard let upload = transfer.upload, refusal == nil else { return }
      shard.transport.respond(answers.progress(offset, of: upload, style), to: exchange)
    case .refused(let refusal):
      uploads.counters.add(refusal == .full ? .full : .refused)
      if refusal == .full { shard.services.refusals.note(.fullStorage, at: shard.loop.now) }
      guard self.refusal == nil else { return }
      shard.transport.respond(answers.refusal(refusal), to: exchange)
    }
  }

  private func respond(to record: UploadRecord, _ moment: TransferAnswer.Completion) {
    let view = shard.services.uploads.view(record)
    shard.transport.respond(answers.completion(view, moment, style), to: exchange)
  }

  // MARK: Ways back

  private func ask<Lookup: StoreLookup>(
    _ lookup: Lookup, _ input: @escaping @Sendable (Lookup.Outcome) -> TransferInput
  ) {
    shard.services.store.perform(lookup, completion: storeResumption(input))
  }

  private func ask<Write: StoreWrite>(
    _ write: Write, _ input: @escaping @Sendable (Write.Outcome) -> TransferInput
  ) {
    shard.services.store.perform(write, completion: storeResumption(input))
  }

  private func storeResumption<Value>(
    _ input: @escaping @Sendable (Value) -> TransferInput
  ) -> @Sendable (Result<Value, StoreError>) -> Void {
    let (path, transfer) = (shard.returnPath, LoopBound(self))
    return { result in
      let next: TransferInput
      switch result {
      case .success(let value): next = input(value)
      case .failure: next = .storeFailed
      }
      path.resume { _ in transfer.value.handle(next) }
    }
  }

  private func resumption<Value>(
    _ input: @escaping @Sendable (Value) -> TransferInput
  ) -> FileCompletion<Value> {
    let (path, transfer) = (shard.returnPath, LoopBound(self))
    return { result in
      let next: TransferInput
      switch result {
      case .success(let value): next = input(value)
      case .failure(let failure): next = .failed(failure)
      }
      path.resume { _ in transfer.value.handle(next) }
    }
  }
}
