import Testing

@testable import Gateway

@Suite("The newest lines of the audit log")
struct AuditMemoryTests {
  private func memory(_ count: Int, size: Int = 10) -> AuditMemory {
    let memory = AuditMemory()
    for number in 0..<count {
      memory.add(
        tokenID: number.isMultiple(of: 2) ? "even" : "odd", path: "/v3/users/\(number)",
        json: Array(repeating: 0x30, count: size))
    }
    return memory
  }

  private func numbers(_ page: (lines: [AuditMemory.Line], hasMore: Bool)) -> [Int64] {
    page.lines.map(\.number)
  }

  @Test("lines are read newest first, page by page, by token and by a part of the path")
  func pages() {
    let memory = memory(7)
    let first = memory.lines(limit: 3)
    #expect(numbers(first) == [7, 6, 5])
    #expect(first.hasMore)
    let second = memory.lines(before: 5, limit: 3)
    #expect(numbers(second) == [4, 3, 2])
    let last = memory.lines(before: 2, limit: 3)
    #expect(numbers(last) == [1])
    #expect(!last.hasMore)
    #expect(numbers(memory.lines(limit: 9, tokenID: "odd")) == [6, 4, 2])
    #expect(numbers(memory.lines(limit: 9, containing: "users/3")) == [4])
    #expect(numbers(memory.lines(limit: 9, tokenID: "other")) == [])
    #expect(numbers(AuditMemory().lines(limit: 9)) == [])
  }

  @Test("the oldest lines are removed beyond a thousand, and beyond two mebibytes")
  func bounds() {
    let many = memory(1_005).lines(limit: 2_000)
    #expect(many.lines.count == 1_000)
    #expect(many.lines.last?.number == 6)
    let large = memory(10, size: 500_000).lines(limit: 20)
    #expect(numbers(large) == [10, 9, 8, 7])
    // The newest line stays, however large it is.
    #expect(numbers(memory(3, size: 3_000_000).lines(limit: 20)) == [3])
  }
}
