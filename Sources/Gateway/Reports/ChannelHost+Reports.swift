import Channels
import ParleyProtocol
import Store

extension ChannelHost {
  /// Keeps a report of a user who is in the channel.
  func keep(
    _ draft: AbuseReportDraft, of caller: SessionPrincipal, replyTo address: ReplyAddress
  ) {
    do throws(ServiceError) {
      let visibleFrom = try requireReporting(caller)
      if case .message = draft.subject { try requireKeptMessages() }
      let addition = AbuseReportAddition(
        draft, by: caller.user.id, visibleFrom: visibleFrom, at: shard.services.clock.now)
      perform(addition) { channel, result in
        let kept = result.report(channel.shard.services.reports)
        channel.reply(to: address, kept.flatMap { _ in .empty })
      }
    } catch {
      reply(to: address, .failure(error))
    }
  }
}
