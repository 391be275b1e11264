extension PlatformAPI {
  /// Every endpoint; of two that fit, the first counts.
  static let routes =
    channelRoutes + moderationRoutes + messageRoutes + userRoutes
    + metadataRoutes + metacounterRoutes + limitRoutes + operationRoutes + previewRoutes
    + apiTokenRoutes
    + webhookRoutes

  private static let channelRoutes = [
    PlatformRoute("POST", "open_channels", PlatformCall.createChannel),
    PlatformRoute("GET", "open_channels", PlatformCall.listChannels),
    PlatformRoute("GET", "open_channels/*", PlatformCall.viewChannel),
    PlatformRoute("PUT", "open_channels/*", PlatformCall.updateChannel),
    PlatformRoute("DELETE", "open_channels/*", PlatformCall.deleteChannel),
    PlatformRoute("GET", "open_channels/*/participants", PlatformCall.listParticipants),
    PlatformRoute("PUT", "open_channels/*/freeze", PlatformCall.freezeChannel),
    PlatformRoute("POST", "open_channels/*/operators", PlatformCall.addOperators),
    PlatformRoute("GET", "open_channels/*/operators", PlatformCall.listOperators),
    PlatformRoute("DELETE", "open_channels/*/operators", PlatformCall.removeOperators),
  ]

  private static let moderationRoutes = [
    PlatformRoute("POST", "open_channels/*/ban", PlatformCall.banUser),
    PlatformRoute("GET", "open_channels/*/ban", PlatformCall.listBans),
    PlatformRoute("GET", "open_channels/*/ban/*", PlatformCall.viewBan),
    PlatformRoute("PUT", "open_channels/*/ban/*", PlatformCall.updateBan),
    PlatformRoute("DELETE", "open_channels/*/ban/*", PlatformCall.unbanUser),
    PlatformRoute("POST", "open_channels/*/mute", PlatformCall.muteUser),
    PlatformRoute("GET", "open_channels/*/mute", PlatformCall.listMutes),
    PlatformRoute("GET", "open_channels/*/mute/*", PlatformCall.viewMute),
    PlatformRoute("DELETE", "open_channels/*/mute/*", PlatformCall.unmuteUser),
  ]

  private static let messageRoutes = [
    PlatformRoute("POST", "open_channels/*/messages", PlatformCall.sendMessage),
    PlatformRoute("GET", "open_channels/*/messages", PlatformCall.listMessages),
    PlatformRoute("GET", "open_channels/*/messages/total_count", PlatformCall.countMessages),
    PlatformRoute("GET", "open_channels/*/messages/#", PlatformCall.viewMessage),
    PlatformRoute("PUT", "open_channels/*/messages/#", PlatformCall.updateMessage),
    PlatformRoute("DELETE", "open_channels/*/messages/#", PlatformCall.deleteMessage),
    PlatformRoute(
      "POST", "open_channels/*/messages/#/sorted_metaarray", PlatformCall.createMetaArrays),
    PlatformRoute(
      "PUT", "open_channels/*/messages/#/sorted_metaarray", PlatformCall.updateMetaArrays),
    PlatformRoute(
      "DELETE", "open_channels/*/messages/#/sorted_metaarray", PlatformCall.deleteMetaArrays),
    PlatformRoute("POST", "open_channels/*/messages/#/translation", PlatformCall.translate),
  ]

  private static let userRoutes = [
    PlatformRoute("POST", "users", PlatformCall.createUser),
    PlatformRoute("GET", "users", PlatformCall.listUsers),
    PlatformRoute("GET", "users/*", PlatformCall.viewUser),
    PlatformRoute("PUT", "users/*", PlatformCall.updateUser),
    PlatformRoute("DELETE", "users/*", PlatformCall.deleteUser),
    PlatformRoute("POST", "users/*/token", PlatformCall.issueSessionToken),
    PlatformRoute("DELETE", "users/*/token", PlatformCall.revokeSessionTokens),
  ]

  private static let metadataRoutes = ["open_channels", "users"].flatMap { owner in
    [
      PlatformRoute("POST", "\(owner)/*/metadata", PlatformCall.createMetadata),
      PlatformRoute("GET", "\(owner)/*/metadata", PlatformCall.listMetadata),
      PlatformRoute("PUT", "\(owner)/*/metadata", PlatformCall.updateMetadata),
      PlatformRoute("DELETE", "\(owner)/*/metadata", PlatformCall.deleteMetadata),
      PlatformRoute("GET", "\(owner)/*/metadata/*", PlatformCall.viewMetadata),
      PlatformRoute("PUT", "\(owner)/*/metadata/*", PlatformCall.updateMetadataItem),
      PlatformRoute("DELETE", "\(owner)/*/metadata/*", PlatformCall.deleteMetadataItem),
    ]
  }

  private static let metacounterRoutes = [
    PlatformRoute("POST", "open_channels/*/metacounter", PlatformCall.createMetacounters),
    PlatformRoute("GET", "open_channels/*/metacounter", PlatformCall.listMetacounters),
    PlatformRoute("PUT", "open_channels/*/metacounter", PlatformCall.updateMetacounters),
    PlatformRoute("DELETE", "open_channels/*/metacounter", PlatformCall.deleteMetacounters),
    PlatformRoute("GET", "open_channels/*/metacounter/*", PlatformCall.viewMetacounter),
    PlatformRoute("PUT", "open_channels/*/metacounter/*", PlatformCall.updateMetacounter),
    PlatformRoute("DELETE", "open_channels/*/metacounter/*", PlatformCall.deleteMetacounter),
  ]

  private static let limitRoutes = [
    PlatformRoute("GET", "parley/limits/explain", PlatformCall.explainLimits),
    PlatformRoute("GET", "parley/limits", PlatformCall.viewLimits),
    PlatformRoute("PUT", "parley/limits", PlatformCall.setLimits),
    PlatformRoute("DELETE", "parley/limits", PlatformCall.removeLimits),
    PlatformRoute("GET", "parley/limits/custom_types/*", PlatformCall.viewCustomTypeLimits),
    PlatformRoute("PUT", "parley/limits/custom_types/*", PlatformCall.setCustomTypeLimits),
    PlatformRoute("DELETE", "parley/limits/custom_types/*", PlatformCall.removeCustomTypeLimits),
    PlatformRoute("GET", "parley/limits/channels/*", PlatformCall.viewChannelLimits),
    PlatformRoute("PUT", "parley/limits/channels/*", PlatformCall.setChannelLimits),
    PlatformRoute("DELETE", "parley/limits/channels/*", PlatformCall.removeChannelLimits),
  ]

  private static let operationRoutes = [
    PlatformRoute("GET", "parley/sessions", PlatformCall.listSessions),
    PlatformRoute("DELETE", "parley/sessions/*", PlatformCall.closeSession),
    PlatformRoute("GET", "parley/connections", PlatformCall.countConnections),
    PlatformRoute("GET", "parley/status", PlatformCall.viewStatus),
    PlatformRoute("POST", "parley/drain", PlatformCall.drain),
  ]

  private static let previewRoutes = [
    PlatformRoute("GET", "parley/previews/explain", PlatformCall.explainPreview),
    PlatformRoute("GET", "parley/previews", PlatformCall.listPreviews),
    PlatformRoute("DELETE", "parley/previews", PlatformCall.purgePreviews),
  ]

  private static let apiTokenRoutes = [
    PlatformRoute("POST", "parley/api_tokens", PlatformCall.issueAPIToken),
    PlatformRoute("GET", "parley/api_tokens", PlatformCall.listAPITokens),
    PlatformRoute("DELETE", "parley/api_tokens/*", PlatformCall.revokeAPIToken),
  ]

  private static let webhookRoutes = [
    PlatformRoute("GET", "parley/webhooks", PlatformCall.listWebhooks),
    PlatformRoute("POST", "parley/webhooks/test", PlatformCall.testWebhooks),
  ]
}
