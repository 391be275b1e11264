import Configuration
import Hooks
import Channels
import PushDelivery
import Transport
import Unfurler
import Webhooks

extension GatewayServices {
  /// Adopts settings, which may differ only where no restart is needed.
  ///
  /// On any thread.
  ///
  /// - Throws: An error that names the key of access tokens or of pushes that cannot be used. Nothing
  ///   changes then.
  func adopt(_ new: Settings) throws {
    // The files may have changed even if the settings are the same.
    let pushing = try push.map { _ in
      try PushConfiguration(new.push, webKey: pushes.webKey, clock: clock)
    }
    try authenticator.keys.adopt(new.auth, try GatewayPlan.verifiers(new.auth))
    settings = new
    let limits = new.limits
    tokenRates.adopt(limits.platformCalls)
    previewRates.adopt(perSecond: limits.previewFetchesPerSecond)
    translationRates.adopt(perSecond: limits.translationsPerSecond)
    groupRates.adopt(new.groups)
    quotas.adopt(limits.quotas)
    memory.adopt(limit: limits.memoryBytes)
    uploads.adopt(limits)
    vault.userKeys.failures.limit = limits.fileKeyFailuresPerSecond
    addresses.adopt(AddressLimits(limits))
    previews?.domains.adopt(
      allowed: new.unfurl.allowedDomains, denied: new.unfurl.deniedDomains)
    if let configuration = WebhookConfiguration(new.webhooks, clock: clock, hold: deletionHold) {
      webhooks?.adopt(configuration)
    }
    if let configuration = HookConfiguration(new) { hooks?.adopt(configuration) }
    if let pushing { push?.adopt(pushing) }
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
