import Channels
import Testing

@testable import Gateway

@Suite("The delay before deletion by age")
struct DeletionHoldTests {
  private static let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)

  /// A time since a start, by a clock that was set forward by so much.
  private func time(_ monotonic: Int64, stepped step: Int64 = 0) -> Moment {
    Moment(unix: 1_000_000_000_000 + monotonic + step, monotonic: monotonic)
  }

  private func hold(_ usual: Int64 = Self.hour, gap: Int64 = 0) -> DeletionHold {
    DeletionHold(usual, at: time(0), gap: gap)
  }

  @Test("lasts one hour after a start")
  func start() {
    let hold = hold(gap: 5)
    #expect(hold.rest(forAge: 30 * Self.day, at: time(0)) == Self.hour)
    #expect(hold.rest(forAge: 30 * Self.day, at: time(Self.hour - 1)) == 1)
    #expect(hold.rest(forAge: 30 * Self.day, at: time(Self.hour)) == 0)
  }

  @Test("lasts one day if the server starts a day or more after the newest message")
  func gap() {
    #expect(hold(gap: Self.day - 1).rest(at: time(0)) == Self.hour)
    #expect(hold(gap: 31 * Self.day).rest(at: time(0)) == Self.day)
    #expect(hold(gap: -31 * Self.day).rest(at: time(0)) == Self.hour)
  }

  @Test("restarts at the first check after a clock step, and is never shortened by one")
  func steps() {
    let hold = hold()
    #expect(hold.rest(at: time(2 * Self.hour)) == 0)
    #expect(hold.rest(at: time(2 * Self.hour, stepped: -Self.hour)) == Self.hour)
    #expect(hold.rest(at: time(3 * Self.hour, stepped: -Self.hour)) == 0)
    #expect(hold.rest(at: time(3 * Self.hour, stepped: 31 * Self.day)) == Self.day)
    #expect(hold.rest(at: time(4 * Self.hour)) == Self.day - Self.hour)
    #expect(hold.rest(at: time(3 * Self.hour + Self.day)) == 0)
  }

  @Test("is disabled by a time of 0, in all cases")
  func off() {
    let hold = hold(0, gap: 31 * Self.day)
    #expect(hold.rest(at: time(5, stepped: 31 * Self.day)) == 0)
  }

  @Test("lasts no longer than the retention age")
  func shortAges() {
    let hold = hold()
    #expect(hold.rest(forAge: 2_000, at: time(500)) == 1_500)
    #expect(hold.rest(forAge: 2_000, at: time(2_000)) == 0)
    #expect(hold.rest(forAge: 2_000, at: time(5_000, stepped: Self.hour)) == 2_000)
  }
}
