import TestSupport
import Testing

@testable import Store

@Suite("The upper bound of a range of texts", .onOwnThreads)
struct StringSuccessorTests {
  @Test("the last scalar is incremented, past the surrogates, and the greatest scalar is dropped")
  func goesOn() {
    #expect("ab".successor == "ac")
    #expect("a\u{D7FF}".successor == "a\u{E000}")
    #expect("a\u{10FFFF}".successor == "b")
    #expect("\u{10FFFF}".successor == nil)
    #expect("".successor == nil)
  }
}
