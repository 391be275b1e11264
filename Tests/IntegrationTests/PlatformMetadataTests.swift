import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("lets back ends manage metadata and counters")
  struct PlatformMetadataTests {
    private func server() throws -> ServerProcess {
      let server = try ServerProcess()
      try server.call("POST", "users", #"{"user_id":"lobby"}"#)
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      return server
    }

    private func text(_ node: JSONNode) -> String { String(decoding: node.raw, as: UTF8.self) }

    @Test("items are added, read, replaced and removed", arguments: ["users", "open_channels"])
    func metadata(owner: String) throws {
      let server = try server()
      let path = "\(owner)/lobby/metadata"
      #expect(
        text(try server.call("POST", path, #"{"metadata":{"a":"1","b":"2"}}"#))
          == #"{"a":"1","b":"2"}"#)
      #expect(text(try server.call("GET", path)) == #"{"a":"1","b":"2"}"#)
      #expect(text(try server.call("GET", path + "?keys=b")) == #"{"b":"2"}"#)
      #expect(text(try server.call("GET", path + "?key=a")) == #"{"a":"1"}"#)
      // Without the parameter, it removes all items.
      #expect(try server.refusal("DELETE", path + "?keys=b") == 400_111)
      #expect(text(try server.call("GET", path + "/a")) == #"{"a":"1"}"#)
      #expect(
        text(try server.call("PUT", path, #"{"metadata":{"a":"3","c":"4"}}"#)) == #"{"a":"3"}"#)
      #expect(
        text(try server.call("PUT", path, #"{"metadata":{"c":"4"},"upsert":true}"#))
          == #"{"c":"4"}"#)
      #expect(text(try server.call("PUT", path + "/c", #"{"value":"5"}"#)) == #"{"c":"5"}"#)
      try server.call("DELETE", path + "/b")
      let shown = try server.call("GET", "\(owner)/lobby")["metadata"]
      #expect(shown.map(text) == #"{"a":"3","c":"5"}"#)
      #expect(try server.refusal("POST", path, #"{"metadata":{"a":"1"}}"#) == 400_202)
      #expect(try server.refusal("POST", path, #"{"metadata":{"x":1}}"#) == 400_100)
      #expect(try server.refusal("POST", path, #"{"metadata":[]}"#) == 400_103)
      #expect(try server.refusal("POST", path, "{}") == 400_105)
      #expect(try server.refusal("GET", path + "/none") == 400_201)
      #expect(try server.refusal("PUT", path + "/none", #"{"value":"5"}"#) == 400_201)
      #expect(try server.refusal("DELETE", path + "/none") == 400_201)
      let many = (0..<24).map { #""k\#($0)":"v""# }.joined(separator: ",")
      #expect(try server.refusal("POST", path, #"{"metadata":{\#(many)}}"#) == 400_203)
      try server.call("DELETE", path)
      #expect(text(try server.call("GET", path)) == "{}")
      #expect(try server.refusal("GET", "\(owner)/none/metadata") == 400_201)
    }

    @Test("counters are added, read, changed and removed")
    func metacounters() throws {
      let server = try server()
      let path = "open_channels/lobby/metacounter"
      #expect(
        text(try server.call("POST", path, #"{"metacounter":{"a":1,"b":-2}}"#))
          == #"{"a":1,"b":-2}"#)
      #expect(text(try server.call("GET", path + "?keys=a")) == #"{"a":1}"#)
      #expect(text(try server.call("GET", path + "/b")) == #"{"b":-2}"#)
      let add = #"{"metacounter":{"a":4,"c":1},"mode":"increase"}"#
      #expect(text(try server.call("PUT", path, add)) == #"{"a":5}"#)
      let make = #"{"metacounter":{"c":1},"mode":"decrease","upsert":true}"#
      #expect(text(try server.call("PUT", path, make)) == #"{"c":-1}"#)
      #expect(text(try server.call("PUT", path + "/a", #"{"value":9}"#)) == #"{"a":9}"#)
      let most = #"{"value":9223372036854775807,"mode":"increase"}"#
      #expect(try server.refusal("PUT", path + "/a", most) == 400_113)
      #expect(try server.refusal("PUT", path + "/a", #"{"value":"9"}"#) == 400_101)
      #expect(try server.refusal("PUT", path + "/a", #"{"value":1.5}"#) == 400_111)
      #expect(try server.refusal("PUT", path + "/a", #"{"value":1,"mode":"x"}"#) == 400_111)
      #expect(try server.refusal("PUT", path + "/none", #"{"value":1}"#) == 400_201)
      #expect(try server.refusal("POST", path, #"{"metacounter":{"a":1}}"#) == 400_202)
      #expect(try server.refusal("POST", path, "{}") == 400_105)
      try server.call("DELETE", path + "/a")
      #expect(try server.refusal("GET", path + "/a") == 400_201)
      try server.call("DELETE", path)
      #expect(text(try server.call("GET", path)) == "{}")
      #expect(try server.refusal("GET", "open_channels/none/metacounter") == 400_201)
    }
  }
}
