import TestSupport
import Testing

@testable import Thumbnails

@Suite("Thumbnail queue")
struct ThumbnailQueueTests {
  private var queue = ThumbnailQueue(.init(concurrency: 1, capacity: 8, wallClock: 100))

  private static let small = ThumbnailBox(maxWidth: 100, maxHeight: 100)
  private static let large = ThumbnailBox(maxWidth: 400, maxHeight: 400)

  private mutating func handle(_ input: ThumbnailInput, at now: Int64 = 0) -> [ThumbnailAction] {
    var actions: [ThumbnailAction] = []
    queue.handle(input, at: now, into: &actions)
    return actions
  }

  private func request(
    _ id: UInt64, _ file: String, _ boxes: ThumbnailBox..., of user: String = "ann"
  ) -> ThumbnailInput {
    .request(
      ThumbnailRequest(id: .init(rawValue: id), for: .user(user), file: file, boxes: boxes))
  }

  private func job(_ id: UInt64) -> ThumbnailJobID { .init(rawValue: id) }

  private func caller(_ id: UInt64) -> ThumbnailRequestID { .init(rawValue: id) }

  private func made(_ boxes: ThumbnailBox...) -> ThumbnailResult {
    ThumbnailResult(.made, thumbnails: boxes.map(Self.thumbnail))
  }

  private static func thumbnail(_ box: ThumbnailBox) -> Thumbnail {
    Thumbnail(box: box, format: .png, size: PictureSize(width: 1, height: 1), bytes: [])
  }

  @Test("a request starts a job, and is answered when it ends")
  mutating func oneRequest() {
    #expect(
      handle(request(1, "a", Self.small), at: 5) == [
        .start(job(1), file: "a", boxes: [Self.small]), .wake(at: 105),
      ])
    #expect(
      handle(.ended(job(1), made(Self.small))) == [.answer(caller(1), made(Self.small))])
    #expect(queue.figures == ThumbnailFigures(outcomes: [.made: 1]))
  }

  @Test("the same box is made once, in one request and in several")
  mutating func sameBox() {
    #expect(
      handle(request(1, "a", Self.small, Self.small)).first
        == .start(job(1), file: "a", boxes: [Self.small]))
    #expect(handle(request(2, "a", Self.small)) == [])
    #expect(
      handle(.ended(job(1), made(Self.small))) == [
        .answer(caller(1), made(Self.small)), .answer(caller(2), made(Self.small)),
      ])
  }

  @Test("a request that shares one box waits for both jobs")
  mutating func sharedBox() {
    _ = handle(request(1, "a", Self.small))
    #expect(handle(request(2, "a", Self.large, Self.small)) == [])
    #expect(
      handle(.ended(job(1), made(Self.small))) == [
        .answer(caller(1), made(Self.small)), .start(job(2), file: "a", boxes: [Self.large]),
        .wake(at: 100),
      ])
    #expect(
      handle(.ended(job(2), made(Self.large))) == [
        .answer(caller(2), made(Self.large, Self.small))
      ])
  }

  @Test("completed thumbnails are part of the answer when others fail")
  mutating func someFail() {
    _ = handle(request(1, "a", Self.small, Self.large))
    let result = ThumbnailResult(
      .killed, reason: "signal 9", thumbnails: [Self.thumbnail(Self.small)])
    #expect(handle(.ended(job(1), result)) == [.answer(caller(1), result)])
  }

  @Test("jobs beyond the concurrency limit wait; beyond the capacity they are refused")
  mutating func bounds() {
    queue = ThumbnailQueue(.init(concurrency: 1, capacity: 2, wallClock: 100))
    _ = handle(request(0, "a", Self.small, of: "ann"))
    _ = handle(request(1, "b", Self.small, of: "bob"))
    _ = handle(request(2, "c", Self.small, of: "cid"))
    #expect(queue.figures == ThumbnailFigures(queued: 2, running: 1))
    let refusal = ThumbnailResult(.refused, reason: "the queue is full", isFinal: false)
    #expect(handle(request(3, "d", Self.small, of: "dan")) == [.answer(caller(3), refusal)])
    // What is under way anyway needs no room.
    #expect(handle(request(4, "c", Self.small, of: "dan")) == [])
    #expect(
      handle(.ended(job(1), made(Self.small))).contains { action in
        if case .start = action { true } else { false }
      })
    #expect(queue.figures.queued == 1 && queue.figures.running == 1)
  }

  @Test("a job that takes too long is killed once, and times out")
  mutating func wallClock() {
    _ = handle(request(1, "a", Self.small), at: 10)
    #expect(handle(.deadline, at: 109) == [.wake(at: 110)])
    #expect(handle(.deadline, at: 110) == [.kill(job(1))])
    #expect(handle(.deadline, at: 111) == [])
    let expected = ThumbnailResult(.timedOut, reason: "not done within 100 ms")
    #expect(
      handle(.ended(job(1), ThumbnailResult(.killed)), at: 112) == [.answer(caller(1), expected)])
    #expect(queue.figures.outcomes == [.timedOut: 1])
  }

  @Test("a job that ends while it is being killed keeps its result")
  mutating func madeAtTheLastMoment() {
    _ = handle(request(1, "a", Self.small))
    _ = handle(.deadline, at: 100)
    #expect(handle(.ended(job(1), made(Self.small))) == [.answer(caller(1), made(Self.small))])
  }

  @Test("a removed file is removed from the queue, and its child process is killed")
  mutating func forget() {
    _ = handle(request(1, "a", Self.small))
    _ = handle(request(2, "a", Self.large))
    _ = handle(request(3, "b", Self.small))
    let removed = ThumbnailResult(.refused, reason: "the file was removed", isFinal: false)
    #expect(handle(.forget(file: "a")) == [.kill(job(1)), .answer(caller(2), removed)])
    #expect(
      handle(.ended(job(1), ThumbnailResult(.killed))).contains(
        .start(job(3), file: "b", boxes: [Self.small])))
  }

  @Test("after shutdown all requests are answered and no job starts")
  mutating func close() {
    _ = handle(request(1, "a", Self.small))
    _ = handle(request(2, "b", Self.small))
    let stopping = ThumbnailResult(.refused, reason: "the server is stopping", isFinal: false)
    #expect(handle(.close) == [.kill(job(1)), .answer(caller(2), stopping)])
    #expect(handle(request(3, "c", Self.small)) == [.answer(caller(3), stopping)])
    let killed = ThumbnailResult(.killed)
    #expect(handle(.ended(job(1), killed)) == [.answer(caller(1), killed)])
  }

  @Test("no boxes are made at once")
  mutating func nothing() {
    #expect(handle(request(1, "a")) == [.answer(caller(1), ThumbnailResult(.made))])
  }

  @Test("a user who sends many pictures delays only their own")
  mutating func turns() {
    queue = ThumbnailQueue(.init(concurrency: 1, capacity: 100, wallClock: 100))
    for number in UInt64(1)...10 { _ = handle(request(number, "\(number)", Self.small)) }
    _ = handle(request(11, "other", Self.small, of: "bob"))
    let next = handle(.ended(job(1), made(Self.small)), at: 50)
    #expect(next.contains(.start(job(11), file: "other", boxes: [Self.small])))
    #expect(
      handle(.ended(job(11), made(Self.small)), at: 60)
        .contains(.start(job(2), file: "2", boxes: [Self.small])))
  }

  @Test("no user takes all running jobs, or the whole waiting room")
  mutating func shares() {
    queue = ThumbnailQueue(.init(concurrency: 3, capacity: 8, wallClock: 100))
    var actions: [ThumbnailAction] = []
    for number in UInt64(1)...5 { actions += handle(request(number, "\(number)", Self.small)) }
    #expect(queue.figures == ThumbnailFigures(queued: 2, running: 2, outcomes: [.refused: 1]))
    #expect(
      actions.contains(
        .answer(
          caller(5),
          ThumbnailResult(
            .refused, reason: "too many pictures of this user are waiting", isFinal: false))))
    #expect(
      handle(request(6, "other", Self.small, of: "bob")).first
        == .start(job(5), file: "other", boxes: [Self.small]))
  }

  @Test("in any history each request is answered once, and the limits hold", arguments: 0..<100)
  func history(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = ThumbnailQueue(.init(concurrency: 3, capacity: 5, wallClock: 50))
    var (asked, answered, running) = (UInt64(0), Set<ThumbnailRequestID>(), Set<ThumbnailJobID>())
    func step(_ input: ThumbnailInput, at now: Int64) {
      var actions: [ThumbnailAction] = []
      queue.handle(input, at: now, into: &actions)
      for action in actions {
        switch action {
        case .start(let job, _, let boxes):
          #expect(running.insert(job).inserted && !boxes.isEmpty, "seed \(seed)")
        case .kill(let job): #expect(running.contains(job), "seed \(seed)")
        case .answer(let request, _):
          #expect(answered.insert(request).inserted, "seed \(seed)")
        case .wake(let time): #expect(time > now, "seed \(seed)")
        }
      }
      #expect(running.count <= 3 && queue.figures.queued <= 5, "seed \(seed)")
    }
    for now in Int64(0)..<400 {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0..<4:
        asked += 1
        let boxes = [Self.small, Self.large].filter { _ in Bool.random(using: &generator) }
        let file = String(Int.random(in: 0..<9, using: &generator))
        let requester: ThumbnailRequester = generator.oneIn(2) ? .user("ann") : .operation
        step(
          .request(
            ThumbnailRequest(id: caller(asked), for: requester, file: file, boxes: boxes)),
          at: now)
      case 4, 5:
        guard let job = running.sorted().randomElement(using: &generator) else { continue }
        running.remove(job)
        step(.ended(job, ThumbnailResult(generator.oneIn(2) ? .failed : .killed)), at: now)
      case 6: step(.deadline, at: now)
      default: step(.forget(file: String(Int.random(in: 0..<9, using: &generator))), at: now)
      }
    }
    step(.close, at: 400)
    while let job = running.popFirst() { step(.ended(job, ThumbnailResult(.killed)), at: 401) }
    #expect(answered.count == Int(asked), "seed \(seed)")
    #expect(queue.figures.queued == 0 && queue.figures.running == 0, "seed \(seed)")
  }
}
