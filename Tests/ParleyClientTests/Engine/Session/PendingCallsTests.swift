import TestSupport
import Testing

@testable import ParleyClient

@Suite("Pending calls")
struct PendingCallsTests {
  /// A call; some have a time limit of their own.
  private func call(_ number: Int64) -> PendingCall {
    let timeout: Int64? = number % 5 == 3 ? 40 : nil
    return PendingCall(
      id: EngineCallID(number: number),
      call: EngineCall(
        method: "m", params: Array("{}".utf8), repeatability: .safe, timeout: timeout),
      deadline: number + (timeout ?? 0), purpose: .plain)
  }

  @Test("the call with the earliest deadline is found, whichever calls are removed")
  func model() {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    var calls = PendingCalls()
    var model: [Int64] = []
    for number in Int64(0)..<3000 {
      calls.append(call(number))
      model.append(number)
      while generator.oneIn(2), let victim = model.randomElement(using: &generator) {
        model.removeAll { $0 == victim }
        #expect(calls.remove(EngineCallID(number: victim)) != nil, "seed \(seed)")
        #expect(calls.remove(EngineCallID(number: victim)) == nil, "seed \(seed)")
      }
      #expect(
        calls.soonest?.deadline == model.map { call($0).deadline }.min(), "seed \(seed)")
      #expect(calls.count == model.count, "seed \(seed)")
      #expect(calls.byteCount == model.count * call(0).byteCount, "seed \(seed)")
    }
    #expect(calls.ids.map(\.number) == model, "seed \(seed)")
  }
}
