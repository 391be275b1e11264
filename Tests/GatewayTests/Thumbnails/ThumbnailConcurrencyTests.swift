import Configuration
import Testing
import Thumbnails

@testable import Gateway

@Suite("Concurrently decoded files")
struct ThumbnailConcurrencyTests {
  @Test("are at least two by default, or as many as configured")
  func number() {
    var settings = Settings().thumbnails
    #expect([1, 2, 4, 6, 16].map { settings.concurrency(cores: $0) } == [2, 2, 2, 3, 8])
    settings.concurrency = 1
    #expect(settings.concurrency(cores: 16) == 1)
  }

  @Test("include a picture of another user while one takes a long time")
  func turns() {
    var queue = ThumbnailQueue(.init(concurrency: Settings().thumbnails.concurrency(cores: 1)))
    var actions: [ThumbnailAction] = []
    for (number, user) in ["ada", "ada", "bob"].enumerated() {
      queue.handle(
        .request(
          ThumbnailRequest(
            id: ThumbnailRequestID(rawValue: UInt64(number)), for: .user(user),
            file: "\(number)", boxes: [ThumbnailBox(maxWidth: 10, maxHeight: 10)])),
        at: 0, into: &actions)
    }
    let started = actions.compactMap { action -> String? in
      if case .start(_, let file, _) = action { file } else { nil }
    }
    #expect(started == ["0", "2"])
  }
}
