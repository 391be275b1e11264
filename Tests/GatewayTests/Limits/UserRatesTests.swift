import Testing

@testable import Gateway

@Suite("Request rates of users")
struct UserRatesTests {
  @Test("a user has two calls a second; others have their own, and returned calls count again")
  func limits() {
    let rates = UserRates(perSecond: 2)
    #expect(rates.admit("ann", at: 0) == nil)
    #expect(rates.admit("ann", at: 0) == nil)
    #expect(rates.admit("ann", at: 0) == 500)
    #expect(rates.admit("bob", at: 0) == nil)
    rates.giveBack("ann")
    #expect(rates.admit("ann", at: 0) == nil)
    #expect(rates.admit("ann", at: 400) == 100)
    #expect(rates.admit("ann", at: 500) == nil)
  }

  @Test("a burst exceeds the calls of a second once")
  func bursts() {
    let rates = UserRates(perSecond: 2, burst: 4)
    for _ in 0..<4 { #expect(rates.admit("ann", at: 0) == nil) }
    #expect(rates.admit("ann", at: 0) == 500)
    #expect(rates.admit("ann", at: 500) == nil)
    #expect(rates.admit("ann", at: 500) == 500)
  }

  @Test("a changed rate applies immediately, and earlier calls count")
  func adopts() {
    let rates = UserRates(perSecond: 2)
    for _ in 0..<2 { #expect(rates.admit("ann", at: 0) == nil) }
    rates.adopt(perSecond: 4, burst: 4)
    // Two of four are left, and one more has come since.
    for _ in 0..<3 { #expect(rates.admit("ann", at: 250) == nil) }
    #expect(rates.admit("ann", at: 250) != nil)
    rates.adopt(perSecond: 0)
    for _ in 0..<9 { #expect(rates.admit("ann", at: 250) == nil) }
  }

  @Test("0 disables the limit")
  func off() {
    let rates = UserRates(perSecond: 0)
    for _ in 0..<100 { #expect(rates.admit("ann", at: 0) == nil) }
  }

  @Test("inactive users are forgotten, and no user is admitted too early")
  func forgets() {
    let rates = UserRates(perSecond: 1)
    for number in 0..<5_000 { #expect(rates.admit("u\(number)", at: Int64(number)) == nil) }
    #expect(rates.admit("u4999", at: 5_000) == 999)
    #expect(rates.admit("u0", at: 5_000) == nil)
  }
}
