import Crypto
import Store
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
    #expect(tokens.holder(of: known) == APITokenHolder(id: shop.id, name: "shop", role: .admin))
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

  @Test("a malformed hash matches no token")
  func noHash() {
    let tokens = IssuedAPITokens([APIToken(name: "odd", hash: [1, 2], createdAt: 1)])
    #expect(tokens.holder(of: TokenDigest(of: "odd")) == nil)
  }
}
