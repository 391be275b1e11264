import TestSupport
import Testing

@testable import Reactor

@Suite("LoopBound", .onOwnThreads)
struct LoopBoundTests {
  private final class Note {
    let text: String

    init(_ text: String) {
      self.text = text
    }
  }

  @Test("the thread that confined an object opens the box after another thread passed it on")
  func opensAtHome() throws {
    let mailbox = try Mailbox<LoopBound<Note>>()
    let confined = LoopBound(Note("at home"))
    let thread = try Reactor.Thread(name: "carrier") { mailbox.post(confined) }
    thread.join()
    #expect(mailbox.takeAll(reusing: []).map(\.value.text) == ["at home"])
  }

  @Test("opening the box on another thread ends the process")
  func stopsOnAnotherThread() async {
    await #expect(processExitsWith: .failure) {
      let confined = LoopBound(Note("away"))
      let thread = try Reactor.Thread(name: "thief") { _ = confined.value }
      thread.join()
    }
  }
}
