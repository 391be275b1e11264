import ParleyProtocol

/// Calls every method with parameters of known names and odd values.
///
/// What is refused names a code of the contract; what is accepted keeps its limits; a request that is
/// written reads back as the same request.
enum CommandParametersHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    let methods = Command.methodNames
    let method = source.choice(methods)
    let request = RPCRequest.encoded(id: RPCIdentifier(7), method: method) { writer in
      var used: Set<String> = []
      while !source.isEmpty {
        let name = source.choice(names)
        guard used.insert(name).inserted else { continue }
        writer.name(escaping: name)
        write(&source, depth: 0, into: &writer)
      }
    }
    guard case .single(.request(let read)) = RPCInput(request) else {
      precondition(request.count > JSONLimits.standard.byteCount, "a request does not read back")
      return
    }
    precondition(read.method == method && read.id == RPCIdentifier(7))
    do throws(ServiceError) {
      check(try Command(method: method, params: read.params))
    } catch {
      check(error)
    }
  }

  private static let names = [
    "user_id", "access_token", "nickname", "profile_url", "metadata", "name", "channel_url",
    "cover_url", "data", "custom_type", "operator_ids", "is_ephemeral", "name_contains",
    "url_contains", "custom_types", "limit", "token", "recover", "epoch", "seq", "seconds",
    "description", "user_ids", "message", "message_type", "req_id", "mention_type",
    "mentioned_user_ids", "metaarray", "translation_target_langs", "push_option", "message_id",
    "message_ts", "prev_limit", "next_limit", "include", "reverse", "sender_ids", "keys", "values",
    "target_langs", "file", "url", "type", "size", "is_typing",
  ]

  private static func write(
    _ source: inout ByteSource, depth: Int, into writer: inout JSONWriter
  ) {
    switch source.number(below: depth > 3 ? 8 : 11) {
    case 0: writer.null()
    case 1: writer.value(source.flag())
    case 2: writer.value(source.int64())
    case 3: writer.value(Int64(source.number(below: 300)) - 2)
    case 4: writer.value(source.text(upTo: 40))
    case 5: writer.value(String(repeating: "a", count: source.number(below: 20_000)))
    case 6: writer.value(source.choice(["lobby", "jeff", "MESG", "FILE", "users", "channel", ""]))
    case 7: writer.value(raw: Array(source.choice(["1e400", "-0.5", "1e2", "0.1"]).utf8))
    case 8: list(&source, depth, into: &writer)
    case 9: pair(&source, depth, into: &writer)
    default: object(&source, depth, into: &writer)
    }
  }

  private static func list(
    _ source: inout ByteSource, _ depth: Int, into writer: inout JSONWriter
  ) {
    let count = source.number(below: source.flag() ? 4 : 120)
    writer.array { for _ in 0..<count { write(&source, depth: depth + 1, into: &$0) } }
  }

  /// A metaarray of the contract's shape.
  private static func pair(
    _ source: inout ByteSource, _ depth: Int, into writer: inout JSONWriter
  ) {
    writer.object {
      $0.name("key")
      write(&source, depth: depth + 1, into: &$0)
      $0.name("value")
      write(&source, depth: depth + 1, into: &$0)
    }
  }

  private static func object(
    _ source: inout ByteSource, _ depth: Int, into writer: inout JSONWriter
  ) {
    let count = source.number(below: 4)
    writer.object {
      var used: Set<String> = []
      for _ in 0..<count {
        let name = source.flag() ? source.choice(names) : source.text(upTo: 10)
        guard used.insert(name).inserted else { continue }
        $0.name(escaping: name)
        write(&source, depth: depth + 1, into: &$0)
      }
    }
  }

  private static func check(_ command: Command) {
    let url: String? =
      switch command {
      case .channel(let url, _), .channelExit(let url): url
      case .channelCreate(let create): create.channelURL
      case .channelUpdate(let update): update.channelURL
      case .channelEnter(let enter): enter.channelURL
      case .channelParticipants(let list): list.channelURL
      case .groupCreate(let create): create.channelURL
      case .groupUpdate(let update): update.channelURL
      case .groupMembers(let list): list.channelURL
      case .messageSendFiles(let send): send.channelURL
      case .messageList(let list): list.channelURL
      case .messageChanges(let list): list.channelURL
      case .report(let draft): draft.channelURL
      case .messageSearch(let search): search.channelURL
      case .sessionOpen, .sessionObserve, .sessionRefresh, .sessionPing, .sessionClose,
        .sessionBackground, .pushRegister, .pushUnregister, .pushTokens, .pushPreferences, .userGet,
        .userUpdate, .userPreferences, .userBlock, .userUnblock, .userBlocked, .groupList,
        .groupUnread, .groupWatchTotals, .groupChanges, .groupRecover, .groupsMarkRead,
        .groupsMarkDelivered,
        .channelList, .fileCreate,
        .fileGet,
        .fileList, .fileCancel, .previewFetch, .previewCancel:
        nil
      }
    if let url {
      precondition((4...100).contains(url.utf8.count), "a channel's URL is out of bounds")
      precondition(url.utf8.allSatisfy { $0 < 0x80 })
    }
  }

  private static func check(_ error: ServiceError) {
    let code = error.code.rawValue
    let codes = [-32_602, 400_203, 400_201, 400_305, 400_300, 400_920]
    precondition(codes.contains(code) || (400_100...400_151).contains(code), "another code")
    let reply = RPCReply.error(error, to: RPCIdentifier(7))
    precondition(reply.count < 4_096, "a refusal repeats what was sent")
    guard let outputs = try? RPCOutput.parse(reply), case .reply(_, .failure)? = outputs.first
    else { preconditionFailure("a refusal does not read back") }
  }
}
