import TestSupport
import Testing

@testable import Store

@Suite("The end of a range of texts", .onOwnThreads)
struct StringSuccessorTests {
  @Test("the last scalar goes one further, over the surrogates, and the greatest is left out")
  func goesOn() {
    #expect("ab".successor == "ac")
    #expect("a\u{D7FF}".successor == "a\u{E000}")
    #expect("a\u{10FFFF}".successor == "b")
    #expect("\u{10FFFF}".successor == nil)
    #expect("".successor == nil)
  }
}
