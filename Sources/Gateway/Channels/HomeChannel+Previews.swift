import Channels
import LinkPreview
import ParleyProtocol
import Reactor
import Store
import Telemetry
import Unfurler

/// What is known of a text's link before it is fetched.
enum KnownPreview: Sendable {
  /// The text has no link that could have one.
  case noLink
  /// There is none.
  case none
  case found(OpenGraphTag)
  /// It has to be fetched.
  case unknown(Link, requester: PreviewRequester)

  var tag: OpenGraphTag? {
    if case .found(let tag) = self { tag } else { nil }
  }
}

extension HomeChannel {
  /// Looks the first link of a text up in the cache.
  ///
  /// - Parameter actor: The party that posts the text.
  func knownPreview(ofText text: String, by actor: Principal) -> KnownPreview {
    services.previews?.known(ofText: text, for: actor.previewRequester) ?? .noLink
  }

  /// Counts what was known of the link of a text that is stored now, and has fetched what was not.
  func pursue(_ preview: KnownPreview, of message: Message) {
    switch preview {
    case .noLink: break
    case .none: node.counters.add(to: .previewsNone)
    case .found: node.counters.add(to: .previewsAttached)
    case .unknown(let link, let requester): fetchPreview(of: message, link, for: requester)
    }
  }

  /// Has a link's preview fetched, and the message updated with it unless it has been edited or
  /// deleted by then.
  private func fetchPreview(
    of message: Message, _ link: Link, for requester: PreviewRequester
  ) {
    guard let previews = services.previews else { return }
    let channel = Confined(self)
    let handle = node.handle
    let startedAt = SystemClock.monotonicNanoseconds
    pendingJobs += 1
    previews.request(link, for: requester) { tag in
      handle.post { node in
        channel.value.pendingJobs -= 1
        node.latencies.record(
          nanoseconds: UInt64(max(0, SystemClock.monotonicNanoseconds - startedAt)), for: .preview)
        channel.value.didFetch(tag, of: message)
      }
    }
  }

  private func didFetch(_ tag: OpenGraphTag?, of message: Message) {
    guard let tag, !isDeleted else {
      node.counters.add(to: .previewsNone)
      return
    }
    if record.isEphemeral {
      var message = message
      message.openGraphTag = tag
      node.counters.add(to: .previewsUpdated)
      publishUpdate(of: SequencedMessage(message: message, seq: lastSeq + 1), at: now)
    } else {
      store(tag, of: message)
    }
  }

  private func store(_ tag: OpenGraphTag, of message: Message) {
    let storeID = storeID
    let now = now
    write {
      try $0.setPreview(
        message.id, channelID: storeID, ifTextIs: message.text, tag: tag, at: now)
    } then: { channel, result in
      guard case .success(let updated?) = result else { return }
      channel.node.counters.add(to: .previewsUpdated)
      channel.publishUpdate(of: updated, at: now)
    }
  }
}

extension Previews {
  /// Looks the first link of a text up in the cache; from any thread.
  func known(ofText text: String, for requester: PreviewRequester) -> KnownPreview {
    guard let link = LinkFinder.firstLink(in: text) else { return .noLink }
    switch lookUp(link, for: requester) {
    case .found(let tag): return .found(tag)
    case .none: return .none
    case .unknown: return .unknown(link, requester: requester)
    }
  }
}

extension Principal {
  /// The party whose share of the fetches is used.
  var previewRequester: PreviewRequester {
    user.map { .user($0.id) } ?? .operation
  }
}
