import Crypto
import ParleyProtocol
import Store
import Telemetry
import Testing

@testable import Gateway

@Suite("Issued API tokens")
struct IssuedAPITokensTests {
  private let shop = APIToken(
    name: "shop", hash: TokenDigest(of: "shop").bytes, createdAt: 1, lastUsedAt: 100_000)
  private let other = APIToken(
    name: "other", hash: TokenDigest(of: "other").bytes, role: .viewer, createdAt: 2)

  @Test("tokens from the store and newly issued ones are valid until revoked")
  func passes() {
    let tokens = IssuedAPITokens([shop])
    let (known, new) = (TokenDigest(of: "shop"), TokenDigest(of: "other"))
    #expect(
      tokens.holder(of: known)
        == APITokenHolder(id: shop.id, name: "shop", role: .admin, expiresAt: nil))
    #expect(tokens.holder(of: new) == nil)
    tokens.insert(other)
    #expect(tokens.holder(of: new)?.role == .viewer)
    #expect(tokens.digest(ofID: shop.id) == known)
    tokens.remove(known)
    #expect(tokens.holder(of: known) == nil)
    #expect(tokens.holder(of: new) != nil)
    #expect(tokens.digest(ofID: shop.id) == nil)
  }

  @Test("the use of a token is recorded at most once a minute")
  func due() {
    let tokens = IssuedAPITokens([shop])
    let digest = TokenDigest(of: "shop")
    #expect(!tokens.isDue(digest, at: 159_999))
    #expect(tokens.isDue(digest, at: 160_000))
    #expect(!tokens.isDue(digest, at: 160_001))
    #expect(tokens.isDue(digest, at: 220_000))
    #expect(!tokens.isDue(TokenDigest(of: "unknown"), at: 220_000))
  }

  @Test("a token is refused from its expiry on, and its metric counts down to it")
  func expiry() throws {
    var passing = other
    passing.expiresAt = 5_000
    let tokens = IssuedAPITokens([shop, passing])
    let holder = try #require(tokens.holder(of: TokenDigest(of: "other")))
    #expect(!holder.hasExpired(at: 4_999))
    #expect(holder.hasExpired(at: 5_000))
    #expect(tokens.holder(of: TokenDigest(of: "shop"))?.hasExpired(at: .max) == false)
    let samples = tokens.samples(at: 6_500)
    #expect(samples.map(\.definition.labels.first?.value) == ["other"])
    guard case .real(let seconds) = samples.first?.value else {
      Issue.record("no number of seconds")
      return
    }
    #expect(seconds == -1.5)
  }

  @Test("a token may expire after now, and at most ten years from now")
  func requestedExpiry() throws {
    func requested(_ json: String) throws(ServiceError) -> Int64? {
      try APITokenExpiry.requested(Fields(body: Array(json.utf8)), at: 1_000)
    }
    #expect(try requested("{}") == nil)
    #expect(try requested(#"{"expires_at":null}"#) == nil)
    #expect(try requested(#"{"expires_at":1001}"#) == 1_001)
    #expect(try requested(#"{"expires_at":315360001000}"#) == 315_360_001_000)
    for wrong in ["1000", "0", "315360001001"] {
      #expect(throws: ServiceError.self, "\(wrong)") {
        try requested(#"{"expires_at":\#(wrong)}"#)
      }
    }
  }

  @Test("each role has the rights of those below it")
  func roles() {
    let order: [APITokenRole] = [.viewer, .moderator, .admin]
    for (place, role) in order.enumerated() {
      for (other, needed) in order.enumerated() {
        #expect(role.includes(needed) == (place >= other))
      }
    }
  }

  @Test("a malformed hash matches no token")
  func noHash() {
    let tokens = IssuedAPITokens([APIToken(name: "odd", hash: [1, 2], createdAt: 1)])
    #expect(tokens.holder(of: TokenDigest(of: "odd")) == nil)
  }
}
