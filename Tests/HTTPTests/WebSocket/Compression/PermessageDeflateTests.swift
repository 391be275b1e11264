@testable import HTTP
import Testing

@Suite("RFC 7692 §7.1: negotiation")
struct PermessageDeflateTests {
  private typealias Agreement = PermessageDeflate.Agreement
  private typealias Policy = PermessageDeflate.Policy

  private func choose(_ text: String, _ policy: Policy) -> (Agreement, response: String)? {
    let fields: HTTPFields = ["Sec-WebSocket-Extensions": text]
    let offers = fields.listValues(of: "Sec-WebSocket-Extensions").compactMap(ExtensionOffer.init)
    return policy.choose(from: offers)
  }

  @Test("a server that keeps no contexts declares that for both sides")
  func notKept() throws {
    let (agreement, response) = try #require(choose("permessage-deflate", Policy()))
    #expect(agreement == Agreement(serverNoContextTakeover: true, clientNoContextTakeover: true))
    #expect(
      response
        == "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
  }

  @Test(
    "a server that keeps contexts accepts the offer",
    arguments: [
      ("permessage-deflate", "permessage-deflate"),
      ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
      (
        "permessage-deflate; client_max_window_bits=10",
        "permessage-deflate; client_max_window_bits=10"
      ),
      (
        "permessage-deflate;server_max_window_bits=\"10\" ; server_no_context_takeover",
        "permessage-deflate; server_no_context_takeover; server_max_window_bits=10"
      ),
      (
        "permessage-deflate; client_no_context_takeover; server_max_window_bits=15",
        "permessage-deflate; client_no_context_takeover; server_max_window_bits=15"
      ),
      ("x-foo, permessage-deflate; unknown, permessage-deflate", "permessage-deflate"),
      (
        "permessage-deflate; server_max_window_bits=8, permessage-deflate; "
          + "server_max_window_bits=9",
        "permessage-deflate; server_max_window_bits=9"
      ),
    ])
  func kept(offer: String, response: String) {
    #expect(choose(offer, Policy(contexts: .kept))?.response == response)
  }

  @Test(
    "frames for many clients use only two windows, whatever is offered",
    arguments: [
      ("", ""), ("; server_max_window_bits=15", "; server_max_window_bits=15"),
      ("; server_max_window_bits=14", "; server_max_window_bits=9"),
      ("; server_max_window_bits=12", "; server_max_window_bits=9"),
      ("; server_max_window_bits=9", "; server_max_window_bits=9"),
    ])
  func sharedWindows(offer: String, response: String) throws {
    let (agreement, text) = try #require(
      choose("permessage-deflate; server_no_context_takeover" + offer, Policy()))
    #expect(
      text == "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
        + response)
    #expect(agreement.sharedFrameWindowBits == (response.hasSuffix("=9") ? 9 : 15))
  }

  @Test("a server's own windows limit the agreement")
  func windows() throws {
    let policy = Policy(contexts: .kept, serverWindowBits: 12, clientWindowBits: 11)
    let (agreement, response) = try #require(
      choose("permessage-deflate; client_max_window_bits; server_max_window_bits=14", policy))
    #expect(agreement == Agreement(serverMaxWindowBits: 12, clientMaxWindowBits: 11))
    #expect(
      response == "permessage-deflate; server_max_window_bits=12; client_max_window_bits=11")
    let (silent, _) = try #require(choose("permessage-deflate", policy))
    #expect(silent.clientMaxWindowBits == 15)
  }

  @Test(
    "an offer with a wrong parameter is declined",
    arguments: [
      "server_no_context_takeover=1", "client_no_context_takeover=true",
      "server_max_window_bits", "server_max_window_bits=7", "server_max_window_bits=16",
      "server_max_window_bits=010", "server_max_window_bits=+9", "client_max_window_bits=0",
      "client_max_window_bits=x", "unknown", "Server_No_Context_Takeover",
      "server_no_context_takeover; server_no_context_takeover",
      "client_max_window_bits; client_max_window_bits=9", "server_max_window_bits=8",
    ])
  func declined(parameters: String) {
    #expect(choose("permessage-deflate; \(parameters)", Policy(contexts: .kept)) == nil)
  }

  @Test("a client's offer and a server's response match", arguments: [true, false], [true, false])
  func bothSides(clientKeeps: Bool, serverKeeps: Bool) throws {
    let offer = PermessageDeflate.Offer(
      contexts: clientKeeps ? .kept : .notKept, serverWindowBits: 12)
    let policy = Policy(contexts: serverKeeps ? .kept : .notKept, clientWindowBits: 11)
    let (agreement, response) = try #require(choose(offer.text, policy))
    let answer = try #require(ExtensionOffer(response))
    #expect(offer.agreement(from: answer) == agreement)
  }

  @Test(
    "a client refuses a response that it did not offer",
    arguments: [
      "permessage-deflate", "permessage-deflate; server_no_context_takeover; unknown",
      "permessage-deflate; server_no_context_takeover; client_max_window_bits",
      "permessage-deflate; server_no_context_takeover; server_max_window_bits=15", "x-other",
    ])
  func wrongAnswer(text: String) throws {
    let offer = PermessageDeflate.Offer(contexts: .notKept, serverWindowBits: 10)
    #expect(offer.agreement(from: try #require(ExtensionOffer(text))) == nil)
  }
}
