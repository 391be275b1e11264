import Testing

@testable import ParleyClient

@Suite("The course of an upload")
struct UploadCourseTests {
  private static let lost = ParleyError.connectionFailed("lost")

  @Test("sends chunks that grow while they are fast, and shrink when they are slow")
  func pieces() {
    var course = UploadCourse(size: 3_000_000, patience: 10_000, at: 0)
    #expect(course.next == .send(from: 0, count: 262_144))
    #expect(sent(&course, to: 262_144, in: 100) == .send(from: 262_144, count: 524_288))
    #expect(sent(&course, to: 786_432, in: 700) == .send(from: 786_432, count: 524_288))
    #expect(sent(&course, to: 1_310_720, in: 1_500) == .send(from: 1_310_720, count: 262_144))
    #expect(sent(&course, to: 2_900_000, in: 0) == .send(from: 2_900_000, count: 100_000))
    #expect(sent(&course, to: 3_000_000, in: 0) == .complete)
  }

  @Test("queries the offset after a failure, and continues from it")
  func resumption() {
    var course = UploadCourse(size: 1_000_000, patience: 10_000, at: 0)
    _ = course.next
    let step = course.didSend(.failed(Self.lost, retryAfter: nil), in: 5, at: 5, random: 0)
    #expect(step == .wait(125))
    let more = course.didAsk(.failed(Self.lost, retryAfter: 3_000), at: 10, random: 0)
    #expect(more == .wait(3_000))
    let next = course.didAsk(.offset(100_000), at: 3_010, random: 0)
    #expect(next == .send(from: 100_000, count: 131_072))
  }

  @Test("goes back when the server lost received bytes")
  func loss() {
    var course = UploadCourse(size: 1_000_000, patience: 10_000, at: 0)
    _ = sent(&course, to: 262_144, in: 0)
    #expect(course.didAsk(.offset(5), at: 9, random: 0) == .send(from: 5, count: 524_288))
  }

  @Test("fails after a time without progress, and at once when no attempt can succeed")
  func failures() {
    var course = UploadCourse(size: 1_000_000, patience: 10_000, at: 0)
    _ = course.didSend(.failed(Self.lost, retryAfter: nil), in: 0, at: 9_999, random: 0)
    _ = course.didAsk(.offset(1), at: 9_999, random: 0)
    let late = course.didSend(.failed(Self.lost, retryAfter: nil), in: 0, at: 19_998, random: 0)
    #expect(late != .fail(Self.lost))
    #expect(
      course.didAsk(.failed(Self.lost, retryAfter: nil), at: 19_999, random: 0)
        == .fail(Self.lost))
    #expect(course.didAsk(.refused(.banned), at: 0, random: 0) == .fail(.banned))
  }

  @Test("limits its request rate when the offset does not advance, and rejects impossible offsets")
  func strangeOffsets() {
    var course = UploadCourse(size: 100, patience: 10_000, at: 0)
    guard case .wait = sent(&course, to: 0, in: 0) else {
      Issue.record("the same piece is sent again at once")
      return
    }
    for offset in [Int64(-1), 101] {
      guard case .fail(.malformedAnswer) = course.didAsk(.offset(offset), at: 0, random: 0) else {
        Issue.record("\(offset) was believed")
        return
      }
    }
  }

  @Test("ends for any sequence of responses, and has then sent every byte at least once")
  func anyAnswers() {
    for seed in UInt64(0)..<300 {
      var random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
      func draw(_ below: UInt64) -> UInt64 {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return random % below
      }
      let size = Int64(draw(5_000_000)) + 1
      var (there, now) = (Int64(0), Int64(0))
      var course = UploadCourse(size: size, patience: 1_000_000, at: 0)
      var step = course.next
      var steps = 0
      while step != .complete, steps < 10_000 {
        steps += 1
        now += Int64(draw(100))
        switch step {
        case .ask:
          let isLost = draw(3) == 0
          step = course.didAsk(
            isLost ? .failed(Self.lost, retryAfter: nil) : .offset(there), at: now, random: draw(9))
        case .send(let from, let count):
          #expect(from == there && count > 0 && from + Int64(count) <= size)
          let isCut = draw(3) == 0
          there += isCut ? Int64(draw(UInt64(count) + 1)) : Int64(count)
          step = course.didSend(
            isCut ? .failed(Self.lost, retryAfter: nil) : .offset(there), in: Int64(draw(2_000)),
            at: now, random: draw(9))
        case .wait: step = .ask
        case .complete: break
        case .fail(let error):
          Issue.record("\(error) with seed \(seed)")
          return
        }
      }
      #expect(there == size)
    }
  }

  private func sent(
    _ course: inout UploadCourse, to offset: Int64, in duration: Int64
  ) -> UploadStep {
    course.didSend(.offset(offset), in: duration, at: 0, random: 0)
  }
}
