import Channels
import FloodControl
import ParleyProtocol
import Store

/// The current limits for one user in one channel, below `/v3/parley/limits/explain`.
enum LimitExplanation {
  /// `GET ?user_id=&channel_url=`: the current state of the user's windows, and the reasons why the
  /// user's next message would be refused.
  ///
  /// A channel that is not in memory is read from the store and not kept in memory.
  static func explain(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let userID = try call.query.optionalUserID("user_id") else { throw .missing("user_id") }
    let longest = Limits.channelURLLengths.upperBound
    guard let url = try call.query.text("channel_url", limit: longest) else {
      throw .missing("channel_url")
    }
    call.shard.send(
      .channel(url: url, .explainLimits(userID: userID, replyTo: completion.address)))
  }
}

extension Shard {
  /// Explains the limits of a user in a channel with its home on this shard.
  func explainLimits(
    ofUser userID: String, inChannel url: String, replyTo address: ExchangeAddress
  ) {
    let completion = Completion(address, services.shards)
    let path = returnPath
    services.store.perform(AccountLookup(userID)) { result in
      path.resume { shard in
        switch result.serviceResult.existing(userID) {
        case .failure(let error): completion.fail(error)
        case .success(let account):
          shard.services.uploads.outlook(of: userID) { result in
            path.resume { shard in
              switch result {
              case .failure(let error): completion.fail(error)
              case .success(let uploads):
                shard.explainLimits(of: account, uploads, in: url, completion)
              }
            }
          }
        }
      }
    }
  }

  private func explainLimits(
    of account: Account, _ uploads: UploadOutlook, in url: String, _ completion: Completion
  ) {
    let path = returnPath
    UserTotals.read(account.user.id, in: services) { result in
      path.resume { shard in
        switch result {
        case .failure(let error): completion.fail(error)
        case .success(let totals):
          shard.explainLimits(of: account, uploads, totals, in: url, completion)
        }
      }
    }
  }

  private func explainLimits(
    of account: Account, _ uploads: UploadOutlook, _ totals: UserTotals, in url: String,
    _ completion: Completion
  ) {
    let path = returnPath
    LoadedChannel.read(url, from: services.store, services.limits, at: services.now) {
      switch $0 {
      case .failure(let error): completion.fail(error)
      case .success(let loaded):
        path.resume { shard in
          completion(shard.explainLimits(of: account, uploads, totals, in: url, loaded))
        }
      }
    }
  }

  /// - Parameter loaded: The channel from the store, when the channel is not in memory.
  private func explainLimits(
    of account: Account, _ uploads: UploadOutlook, _ totals: UserTotals, in url: String,
    _ loaded: LoadedChannel?
  ) -> Result<[UInt8], ServiceError> {
    let channel = channels.resident(url) ?? loaded.map { ChannelHost($0, number: 0, shard: self) }
    guard let channel else { return .failure(.notFound(.channel, url)) }
    let outlook = channel.outlook(for: account, totals)
    return .success(JSONWriter.bytes { outlook.encode(uploads, into: &$0) })
  }
}

extension SendingOutlook {
  fileprivate func encode(_ uploads: UploadOutlook, into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", userID)
      $0.member("channel_url", channelURL)
      $0.member("is_participant", isParticipant)
      $0.member("is_operator", isOperator)
      $0.member(
        "flood",
        object: { flood.encodeMembers(untilNext: floodWait, into: &$0) })
      $0.member(
        "user_flood",
        object: { userFlood.encodeMembers(untilNext: userFloodWait, into: &$0) })
      $0.member(
        "changes",
        object: { changes.encodeMembers(untilNext: changeWait, into: &$0) })
      $0.member(
        "throttle",
        object: {
          throttle.encodeMembers(into: &$0)
          $0.member("shown", throttle.count)
          $0.member("withheld", withheldCount)
        })
      $0.member("quotas", quotas: quotas)
      $0.name("uploads")
      uploads.encode(into: &$0)
      $0.member("refusals", array: { for refusal in refusals { refusal.encode(into: &$0) } })
    }
  }
}

extension SendingOutlook.Window {
  /// Writes a flood window: its limit, its use, and the wait until the next message.
  fileprivate func encodeMembers(untilNext wait: Int64, into writer: inout JSONWriter) {
    encodeMembers(into: &writer)
    writer.member("used", count)
    writer.member("retry_after_ms", wait)
  }

  /// Writes the limit, its source, and the reason for the user's exemption, if any.
  fileprivate func encodeMembers(into writer: inout JSONWriter) {
    writer.member("messages", limit.count)
    writer.member("window_ms", limit.windowMilliseconds)
    writer.member("source", source.rawValue)
    writer.member("exemption", isExempt ? "operator" : "")
  }
}

extension SendCheck.Refusal {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      error.encodeRefusal(into: &$0)
      if let restriction {
        $0.member("end_at", restriction.endsAt)
        $0.member("description", restriction.description)
      }
    }
  }
}

extension ServiceError {
  /// Writes the refusal of a user's next call, and the wait until it ends by itself.
  func encodeRefusal(into writer: inout JSONWriter) {
    writer.member("code", code.rawValue)
    writer.member("message", message)
    if let wait = data.retryAfterMilliseconds { writer.member("retry_after_ms", wait) }
  }
}
