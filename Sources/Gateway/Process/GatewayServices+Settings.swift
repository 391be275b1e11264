import Configuration
import ShardMessages
import Transport
import Unfurler
import Webhooks

extension GatewayServices {
  /// Adopts settings of which only those differ that can change without a restart; on any thread.
  ///
  /// - Throws: An error that names the key of access tokens that cannot be used; nothing changes then.
  func adopt(_ new: Settings) throws {
    // Their files may have changed, whatever the settings say.
    authenticator.adopt(try GatewayPlan.verifiers(new.auth))
    settings = new
    let limits = new.limits
    tokenRates.adopt(limits.platformCalls)
    previewRates.adopt(perSecond: limits.previewFetchesPerSecond)
    translationRates.adopt(perSecond: limits.translationsPerSecond)
    memory.adopt(limit: limits.memoryBytes)
    uploads.adopt(limits)
    vault.userKeys.failures.limit = limits.fileKeyFailuresPerSecond
    addresses.adopt(AddressLimits(limits))
    previews?.domains.adopt(
      allowed: new.unfurl.allowedDomains, denied: new.unfurl.deniedDomains)
    if let configuration = WebhookConfiguration(new.webhooks, clock: clock, hold: deletionHold) {
      webhooks?.adopt(configuration)
    }
    let changesChannels = self.limits.adopt(limits)
    shards.sendToAll(LocalMessage.settingsDidChange)
    if changesChannels { shards.sendToAll(.renewLimits) }
  }
}

extension AddressLimits {
  init(_ limits: LimitSettings) {
    self.init(
      connections: limits.connectionsPerAddress, unopened: limits.unopenedConnectionsPerAddress)
  }
}
