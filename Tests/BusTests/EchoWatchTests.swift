import TestSupport
import Testing

@testable import Bus

@Suite("Health check of a bus server", .onOwnThreads)
struct EchoWatchTests {
  private var watch = EchoWatch()

  @Test("reports no fault while every message is echoed")
  mutating func sound() {
    for now in stride(from: Int64(0), to: 60_000, by: Int(EchoWatch.interval)) {
      #expect(watch.fault(at: now) == nil)
      let number = watch.probe(at: now)
      watch.showedLife(at: now + 3)
      watch.wasAnswered(at: now + 3)
      watch.delivered(at: now + 4)
      watch.heard(number, at: now + 4)
    }
    #expect(watch.isProven)
  }

  @Test("a server that stops answering is detected within two seconds")
  mutating func noAnswer() {
    _ = watch.probe(at: 0)
    watch.showedLife(at: 1)
    watch.wasAnswered(at: 1)
    watch.heard(1, at: 2)
    // It dies at once; probes go on.
    var now: Int64 = 0
    while watch.fault(at: now) == nil, now < 10_000 {
      now += EchoWatch.interval
      if watch.fault(at: now) == nil { _ = watch.probe(at: now) }
    }
    #expect(now <= 2000)
    #expect(watch.fault(at: now) == .noAnswer)
  }

  @Test("a server that neither answers nor delivers is reported as silent")
  mutating func silence() {
    for now in stride(from: Int64(0), through: 2000, by: Int(EchoWatch.interval)) {
      _ = watch.probe(at: now)
      watch.showedLife(at: now)
      watch.wasAnswered(at: now)
    }
    #expect(watch.fault(at: 2000) == .silence)
    #expect(!watch.isProven)
  }

  @Test("a server that delivers only others' messages is reported as deaf, after a longer time")
  mutating func deafness() {
    var now: Int64 = 0
    while watch.fault(at: now) == nil, now < 60_000 {
      _ = watch.probe(at: now)
      watch.showedLife(at: now)
      watch.wasAnswered(at: now)
      now += EchoWatch.interval
      watch.delivered(at: now)
    }
    #expect(watch.fault(at: now) == .deafness)
    #expect(now >= EchoWatch.deafness && now <= EchoWatch.deafness + 2 * EchoWatch.interval)
  }

  @Test("a server that lags but shows activity is not declared faulty")
  mutating func behind() {
    for now in stride(from: Int64(0), to: 5000, by: 100) {
      if now.isMultiple(of: EchoWatch.interval) { _ = watch.probe(at: now) }
      watch.showedLife(at: now)
      #expect(watch.fault(at: now) == nil)
    }
  }

  @Test("numbers that were not sent, or are repeated, prove nothing")
  mutating func strangers() {
    watch.heard(5, at: 0)
    #expect(!watch.isProven)
    let number = watch.probe(at: 0)
    watch.heard(number + 1, at: 1)
    #expect(!watch.isProven)
    watch.heard(number, at: 1)
    watch.heard(number, at: 2)
    #expect(watch.isProven)
  }
}
