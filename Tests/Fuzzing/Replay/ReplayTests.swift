import Foundation
import TestSupport
import Testing

/// Runs the harnesses of fuzzing on their corpora, and on inputs that differ a little from these.
///
/// A harness traps when an invariant does not hold, which ends the test's process with its reason. The environment
/// variable `PARLEY_TEST_MUTATIONS` has the number of changed inputs for each harness.
@Suite("Replay of fuzzing")
struct ReplayTests {
  private static let mutationCount =
    ProcessInfo.processInfo.environment["PARLEY_TEST_MUTATIONS"].flatMap(Int.init) ?? 60

  @Test("every harness holds its invariants on its corpus", arguments: Harnesses.all.keys.sorted())
  func corpus(name: String) throws {
    let harness = try #require(Harnesses.all[name])
    let inputs = try FuzzCorpus.inputs(of: name)
    #expect(!inputs.isEmpty)
    harness.run([])
    for input in inputs { harness.run(input) }
  }

  @Test("and on inputs that are cut, joined and changed", arguments: Harnesses.all.keys.sorted())
  func mutations(name: String) throws {
    let harness = try #require(Harnesses.all[name])
    let inputs = try FuzzCorpus.inputs(of: name).map { Array($0.prefix(2_000)) }
    var random = SeededGenerator(seed: 20_260_101)
    for _ in 0..<Self.mutationCount {
      let one = try #require(inputs.randomElement(using: &random))
      let other = try #require(inputs.randomElement(using: &random))
      var input =
        Array(one.prefix(Int.random(in: 0...one.count, using: &random)))
        + other.suffix(Int.random(in: 0...other.count, using: &random))
      for _ in 0..<3 where !input.isEmpty {
        input[Int.random(in: 0..<input.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      harness.run(input)
    }
  }

  @Test("every file of a harness and every corpus is replayed")
  func complete() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }.map { String($0.dropLast(6)) }
    #expect(Set(files) == Set(Harnesses.all.keys))
    let corpora = try FileManager.default.contentsOfDirectory(
      atPath: folder.appendingPathComponent("Corpora").path)
    #expect(Set(corpora) == Set(Harnesses.all.keys))
  }
}
