import Crypto
import FloodControl
import Testing

@testable import Gateway

@Suite("API token rates")
struct TokenRatesTests {
  @Test("each token has its own bucket, which refills")
  func buckets() {
    let rates = TokenRates(CallRate(callsPerSecond: 10, burst: 2))
    let (one, other) = (TokenDigest(of: "one"), TokenDigest(of: "other"))
    #expect(rates.admit(one, at: 0) == nil)
    #expect(rates.admit(one, at: 0) == nil)
    #expect(rates.admit(one, at: 0) == 100)
    #expect(rates.admit(other, at: 0) == nil)
    #expect(rates.admit(one, at: 100) == nil)
  }

  @Test("a rate of 0 disables the limit")
  func off() {
    let rates = TokenRates(CallRate(callsPerSecond: 0, burst: 1))
    for _ in 0..<10 { #expect(rates.admit(TokenDigest(of: "one"), at: 0) == nil) }
  }
}
