import Crypto
import FloodControl
import Testing

@testable import Gateway

@Suite("Rates of API tokens")
struct TokenRatesTests {
  @Test("each token has a bucket of its own, which refills")
  func buckets() {
    let rates = TokenRates(CallRate(callsPerSecond: 10, burst: 2))
    let (one, other) = (TokenDigest(of: "one"), TokenDigest(of: "other"))
    #expect(rates.admit(one, at: 0) == nil)
    #expect(rates.admit(one, at: 0) == nil)
    #expect(rates.admit(one, at: 0) == 100)
    #expect(rates.admit(other, at: 0) == nil)
    #expect(rates.admit(one, at: 100) == nil)
  }

  @Test("a rate of 0 lets all calls pass")
  func off() {
    let rates = TokenRates(CallRate(callsPerSecond: 0, burst: 1))
    for _ in 0..<10 { #expect(rates.admit(TokenDigest(of: "one"), at: 0) == nil) }
  }
}
