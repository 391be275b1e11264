import Channels
import Configuration
import FloodControl
import LinkPreview
import ParleyProtocol
import Reactor
import Store
import Telemetry
import Thumbnails
import Translation
import Translator
import Unfurler
import Webhooks

/// Parts of the server that a channel's judge uses.
extension Shard {
  /// Fetches an addition to a message.
  func enrich(_ request: EnrichmentRequest, in channel: ChannelHost) {
    switch request.subject {
    case .preview(let link, let others):
      fetchPreview(of: [link] + others, request, in: channel)
    case .thumbnails(let file, let sizes): makeThumbnails(sizes, of: file, request, in: channel)
    case .translations(let text, let languages):
      translate(text, into: languages, request, in: channel)
    }
  }

  /// Sends an addition to the home that replaced the one that requested it.
  func handOver(_ addition: LateAddition, to url: String) {
    send(.channel(url: url, .lateAddition(addition)))
  }

  private func translate(
    _ text: String, into languages: [String], _ request: EnrichmentRequest,
    in channel: ChannelHost
  ) {
    let (channel, path) = (LoopBound(channel), returnPath)
    let end: @Sendable (TranslationResult) -> Void = { result in
      let found = Enrichment.translations(MessageTranslations(result))
      path.resume { _ in channel.value.handle(.enriched(request.id, found)) }
    }
    guard let translator = services.translator else {
      return end(TranslationResult(failure: .failed))
    }
    translator.translate(text, into: languages, for: request.authorID) { result in
      let part = Enrichment.translations(MessageTranslations(result))
      path.resume { _ in channel.value.handle(.progressed(request.id, part)) }
    } completion: {
      end($0)
    }
  }

  private func makeThumbnails(
    _ sizes: [ThumbnailSize], of file: MessageFile, _ request: EnrichmentRequest,
    in channel: ChannelHost
  ) {
    let (channel, path) = (LoopBound(channel), returnPath)
    let requester = ThumbnailRequester(PreviewRequester(authorID: request.authorID))
    services.thumbnails.make(sizes, of: file.id, for: requester) { found in
      let shown = found.shown(sizes, of: file)
      let enrichment = shown.isEmpty ? nil : Enrichment.thumbnails(shown)
      path.resume { _ in channel.value.handle(.enriched(request.id, enrichment)) }
    }
  }

  private func fetchPreview(
    of links: [Link], _ request: EnrichmentRequest, in channel: ChannelHost
  ) {
    guard let previews = services.previews else { return }
    let channel = LoopBound(channel)
    let path = returnPath
    let startedAt = SystemClock.monotonicNanoseconds
    previews.request(firstOf: links, for: PreviewRequester(authorID: request.authorID)) { tag in
      path.resume { shard in
        let duration = max(0, SystemClock.monotonicNanoseconds - startedAt)
        shard.latencies.record(nanoseconds: UInt64(duration), for: .preview)
        channel.value.handle(.enriched(request.id, tag.map(Enrichment.preview)))
      }
    }
  }

  /// Posts an event of an ephemeral channel to the webhooks.
  ///
  /// The event is stored on its own: a crash may lose it, as it loses the message.
  func post(_ event: Event, from origin: EventOrigin) {
    guard let webhooks = services.webhooks, settings.webhooks.events.contains(event.name)
    else { return }
    services.store.perform(OutboxAddition(event, from: origin)) { result in
      if case .failure = result { webhooks.counters.add(1, to: .lost) }
    }
  }

  /// Notifies users who are mentioned in a channel that they are not in, unless they block the author.
  func mention(_ userIDs: [String], by author: MentionAuthor, _ event: [UInt8]) {
    switch author {
    case .user(let id): send(.user(id: id, .mention(userIDs, event: event)))
    case .platform(nil): notify(userIDs, event)
    case .platform(let id?): notify(userIDs, of: event, by: id)
    }
  }

  /// Notifies mentioned users within the budget of their sender, whose home is this shard.
  func mention(_ userIDs: [String], bySenderAtHome sender: String, _ event: [UInt8]) {
    let count = users.admitMentions(userIDs.count, by: sender)
    counters.add(UInt64(userIDs.count - count), to: .mentionsDropped)
    if count > 0 { notify(Array(userIDs.prefix(count)), of: event, by: sender) }
  }

  /// Notifies users who do not block the author; none of them if the store cannot be read.
  private func notify(_ userIDs: [String], of event: [UInt8], by authorID: String) {
    let path = returnPath
    services.store.perform(BlockersLookup(of: authorID, among: userIDs)) { result in
      path.resume { shard in
        guard case .success(let blockerIDs) = result else {
          return shard.counters.add(UInt64(userIDs.count), to: .mentionsDropped)
        }
        shard.notify(userIDs.filter { !blockerIDs.contains($0) }, event)
      }
    }
  }

  private func notify(_ userIDs: [String], _ event: [UInt8]) {
    for userID in userIDs { send(.user(id: userID, .notify(event))) }
  }

  /// Records the time from a message's arrival at this server until it was durable.
  ///
  /// - Parameter arrival: Nanoseconds of this server's monotonic clock; any other number gives a
  ///   meaningless duration, and does no harm.
  func measureAcknowledgement(since arrival: Int64) {
    let duration = max(0, SystemClock.monotonicNanoseconds &- arrival)
    latencies.record(nanoseconds: UInt64(duration), for: .acknowledgement)
  }

  /// Adds the counts of a channel's judge to the metrics.
  func count(_ tally: JudgeTally, of url: String) {
    if tally.accepted > 0 { busiest.add(tally.accepted, to: url, at: loop.now) }
    count(tally.accepted, .messagesAccepted)
    count(tally.repeated, .messagesRepeated)
    count(tally.failed, .messagesFailed)
    count(tally.updated, .messagesUpdated)
    count(tally.deleted, .messagesDeleted)
    count(tally.refused.flood, .refusedFlood)
    count(tally.refused.banned, .refusedBanned)
    count(tally.refused.notInChannel, .refusedNotInChannel)
    count(tally.refused.frozen, .refusedFrozen)
    count(tally.refused.muted, .refusedMuted)
    count(tally.refused.filtered, .refusedFiltered)
    count(tally.refused.invalid, .refusedInvalid)
    count(tally.previewsAttached, .previewsAttached)
    count(tally.previewsUpdated, .previewsUpdated)
    count(tally.previewsNone, .previewsNone)
    count(tally.thumbnailsLate, .thumbnailsLate)
    count(tally.translationsLate, .translationsLate)
  }

  /// Adds the counts of a group's judge to the metrics.
  func count(_ tally: GroupTally) {
    count(tally.reads.moved, .groupReadsMoved)
    count(tally.reads.same, .groupReadsSame)
    count(tally.reads.late, .groupReadsLate)
    count(tally.receipts, .groupReceipts)
    count(tally.deliveries.moved, .groupDeliveriesMoved)
    count(tally.deliveries.same, .groupDeliveriesSame)
    count(tally.deliveryReceipts, .groupDeliveryReceipts)
    count(tally.typing.started, .groupTypingStarted)
    count(tally.typing.extended, .groupTypingExtended)
    count(tally.typing.stopped, .groupTypingStopped)
    count(tally.typing.ignored, .groupTypingIgnored)
    count(tally.invitations.invited, .groupInvitationsInvited)
    count(tally.invitations.joined, .groupInvitationsJoined)
    count(tally.invitations.accepted, .groupInvitationsAccepted)
    count(tally.invitations.declined, .groupInvitationsDeclined)
    count(tally.invitations.withdrawn, .groupInvitationsWithdrawn)
  }

  private func count(_ number: Int, _ counter: GatewayCounter) {
    if number > 0 { counters.add(UInt64(number), to: counter) }
  }
}

extension Shard {
  /// The limits on waiting sends, for the judges of this shard.
  var sendWaits: SendWaits {
    let (budget, latencies) = (services.sendWaits, latencies)
    return SendWaits(milliseconds: settings.sendWaitMilliseconds) {
      budget.admit($0)
    } end: { byteCount, milliseconds in
      budget.end(byteCount)
      latencies.record(nanoseconds: UInt64(max(0, milliseconds)) * 1_000_000, for: .sendWait)
    }
  }
}

extension ChannelJudge {
  /// Creates the judge of a channel that was read from the store.
  init(
    _ loaded: LoadedChannel, floodLimit: RateLimit, _ settings: Settings,
    _ services: GatewayServices, waits: SendWaits
  ) {
    let (messageIDs, online) = (services.messageIDs, services.onlineUsers)
    var lookUpPreview: (@Sendable (Link, String?) -> LinkKnowledge)?
    if let previews = services.previews {
      lookUpPreview = { link, authorID in
        previews.lookUp(link, for: PreviewRequester(authorID: authorID))
      }
    }
    // An open channel has no members, and no need for a closure of its own.
    var groupRules: @Sendable () -> GroupRules = { GroupRules() }
    if loaded.state.channel.group != nil {
      groupRules = { [unowned services] in GroupRules(services.settings.groups) }
    }
    self.init(
      loaded.state, members: loaded.members, recentSends: loaded.recentSends,
      floodLimit: floodLimit,
      exemptsOperators: settings.limits.flood.exemptsOperators, loadedAt: loaded.time,
      sources: JudgeSources(
        nextMessageID: { messageIDs.next(at: $0) },
        lookUpPreview: lookUpPreview, lookUpTranslations: services.translator?.lookUp,
        waits: waits, hooks: services.judgeHooks, onlineUsers: { online.among($0) },
        retentionRules: { [unowned services] in services.settings.store.retentionRules },
        metaArrayLimits: settings.limits.customData.metaArrays, groupRules: groupRules,
        wordFilter: services.limits.wordFilter(customType: loaded.state.channel.customType)))
  }
}

extension PreviewRequester {
  /// The party whose share of the fetches is used; `nil` is the Platform API.
  fileprivate init(authorID: String?) {
    self = authorID.map(PreviewRequester.user) ?? .operation
  }
}

/// The receiver of the log's answers for all channels that are at home on a shard.
final class ShardLogSink: LogSink {
  private let path: ReturnPath

  init(_ path: ReturnPath) { self.path = path }

  func receive(_ answers: [LogAnswer]) {
    path.enqueue { $0.channels.receive(answers) }
  }
}

extension Settings {
  /// The time for which a message waits for its requested additions.
  ///
  /// Beyond half of the call timeout, a caller on another server would get an error for a message
  /// that is still sent.
  var sendWaitMilliseconds: Int64 { limitedByCalls(limits.sendWaitMilliseconds) }

  /// The time for the translations of one message, for which a call on demand waits.
  var translationTimeoutMilliseconds: Int64 { limitedByCalls(translation.timeoutMilliseconds) }

  /// The time for an answer of the app's back end.
  var hookTimeoutMilliseconds: Int64 { limitedByCalls(hooks.timeoutMilliseconds) }

  /// Limits the time for which a call waits at its channel's home: with several servers, to half of
  /// the call timeout.
  private func limitedByCalls(_ milliseconds: Int64) -> Int64 {
    guard cluster.bus != nil else { return milliseconds }
    return min(milliseconds, cluster.callTimeoutMilliseconds / 2)
  }
}
