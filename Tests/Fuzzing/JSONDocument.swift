import ParleyProtocol

/// Feeds arbitrary bytes to the JSON reader and, past it, to JSON-RPC and the commands.
///
/// Nothing may trap, and what is accepted must be UTF-8 and mean the same after being written and
/// read again.
enum JSONDocumentHarness: Harness {
  static func run(_ input: [UInt8]) {
    let bytes = input
    if let document = try? JSONDocument(bytes) {
      precondition(String(validating: bytes, as: UTF8.self) != nil, "accepted what is not UTF-8")
      checkRewriting(of: document.root)
      readResources(from: document.root)
    }
    readCommands(from: RPCInput(bytes))
    _ = try? RPCOutput.parse(bytes)
  }
}

private func checkRewriting(of node: JSONNode) {
  let once = JSONWriter.bytes { rewrite(node, into: &$0) }
  guard let document = try? JSONDocument(once, limits: JSONLimits(byteCount: .max)) else {
    preconditionFailure("refused what was written")
  }
  let twice = JSONWriter.bytes { rewrite(document.root, into: &$0) }
  precondition(once == twice, "what was written means something else")
}

private func rewrite(_ node: JSONNode, into writer: inout JSONWriter) {
  switch node.kind {
  case .null: writer.null()
  case .bool: writer.value(node.bool == true)
  case .string: writer.value(node.string ?? "")
  case .number: rewriteNumber(node, into: &writer)
  case .array: writer.array { for element in node.elements { rewrite(element, into: &$0) } }
  case .object:
    writer.object {
      for (name, value) in node.members {
        let found = node[name]?.raw.indices
        precondition(found == value.raw.indices, "a member is not found by its name")
        $0.name(escaping: name)
        rewrite(value, into: &$0)
      }
    }
  }
}

private func rewriteNumber(_ node: JSONNode, into writer: inout JSONWriter) {
  guard let integer = node.integer else { return writer.value(raw: node.raw) }
  precondition(node.number == Double(integer), "a number is two things")
  writer.value(integer)
}

private func readCommands(from input: RPCInput) {
  let calls: [RPCCall]
  switch input {
  case .single(let call): calls = [call]
  case .batch(let batch): calls = batch
  case .malformed: calls = []
  }
  for case .request(let request) in calls {
    _ = try? Command(method: request.method, params: request.params)
  }
}

private func readResources(from node: JSONNode) {
  _ = (try? Message(json: node), try? Channel(json: node), OpenGraphTag(json: node))
  for method in Command.methodNames { _ = try? Command(method: method, params: node) }
}
