import ParleyClient

/// The code of the page Recipes.md, whose blocks stand here word for word.
struct Recipes {
  let client: ParleyClient
  let show: @Sendable (String) -> Void

  func listChannels() async throws {
    let query = client.createOpenChannelListQuery { params in
      params.channelNameFilter = "support"
      params.includeFrozen = false
      params.limit = 50
    }
    while query.hasNext {
      for channel in try await query.loadNextPage() {
        show("\(channel.name): \(channel.participantCount) here")
      }
    }
  }

  func listHistory(of channel: OpenChannel) async throws {
    let params = MessageListParams()
    params.previousResultSize = 30
    var page = try await channel.messagePage(params: params)
    show("the latest \(page.messages.count) messages")
    params.isInclusive = false
    while let place = page.previous {
      page = try await channel.messagePage(around: place, params: params)
      show("\(page.messages.count) before those")
    }
  }

  func search(_ channel: OpenChannel) async throws {
    let query = client.createMessageSearchQuery { params in
      params.keyword = "lunch"
      params.channelURL = channel.url
    }
    while query.hasNext {
      for message in try await query.loadNextPage() {
        show("found in \(message.channelURL): \(message.message)")
      }
    }
    show("\(query.totalCount)\(query.hasMoreThanTotalCount ? "+" : "") found")
  }

  func poll(in channel: OpenChannel) async throws {
    let params = UserMessageCreateParams(message: "Lunch?")
    params.metaArrays = [MessageMetaArray(key: "yes"), MessageMetaArray(key: "no")]
    let poll = try await channel.sendUserMessage(params: params)

    let vote = MessageMetaArray(key: "yes", value: ["jeff"])
    let counted = try await channel.addMessageMetaArrayValues(message: poll, metaArrays: [vote])
    for answer in counted.metaArrays(keys: ["yes", "no"]) {
      show("\(answer.key): \(answer.value.count)")
    }
  }

  func sendFile(at path: String, to channel: OpenChannel) async throws {
    let params = FileMessageCreateParams(file: .path(path), message: "the plan")
    params.thumbnailSizes = [.make(maxWidth: 320, maxHeight: 240)]
    let sending = channel.sendingFileMessage(params: params)
    for await step in sending.progress {
      show("\(step.totalBytesSent) of \(step.totalBytesExpectedToSend) bytes")
    }
    let message = try await sending.message()
    show(message.url)
  }

  func moderate(_ channel: OpenChannel) async throws {
    try await channel.muteUser(userID: "eve", seconds: 600, description: "Please calm down.")
    try await channel.unmuteUser(userID: "eve")
    try await channel.banUser(userID: "eve", seconds: 86_400, description: "Spam")
    try await channel.unbanUser(userID: "eve")
    try await channel.addOperators(userIDs: ["eve"])
    try await channel.freeze()
    try await channel.unfreeze()
  }

  func translate(_ message: UserMessage, in channel: OpenChannel) async throws {
    let translated = try await channel.translateUserMessage(message, targetLanguages: ["es", "de"])
    show(translated.translations["es"] ?? translated.message)
  }

  func sendTranslated(to channel: OpenChannel) async throws {
    let params = UserMessageCreateParams(message: "Good morning")
    params.translationTargetLanguages = ["es", "de"]
    let message = try await channel.sendUserMessage(params: params)
    show(message.translations["es"] ?? message.message)
  }

  func showPreviews(_ events: ParleyEvents<OpenChannelEvent>) async {
    var shown: Set<Int64> = []
    for await event in events {
      switch event {
      case .messageReceived(let message), .messageUpdated(let message):
        guard let preview = message.ogMetaData else { break }
        guard shown.insert(message.messageID).inserted else { break }
        show(preview.title ?? preview.url ?? "")
      default: break
      }
    }
  }

  func handlers(_ channel: OpenChannel) {
    let params = UserMessageCreateParams(message: "hello")
    let pending = channel.sendUserMessage(params: params) { message, error in
      guard let message, error == nil else {
        show("not sent: \(error?.message ?? "")")
        return
      }
      show("sent as \(message.messageID)")
    }
    show("sending \(pending.message)")
  }
}
