import Channels
import HTTP1
import ParleyProtocol
import Store

/// Channels as such, below `/v3/open_channels`.
extension PlatformCall {
  /// `POST /open_channels`: makes a channel that nobody but those named operates.
  func createChannel() throws(ServiceError) -> Work {
    let command = try ChannelCreate(request.parameters)
    let fields = command.fields
    let channel = Channel(
      url: command.channelURL ?? Identifiers.channelURL(), name: fields.name ?? "",
      coverURL: fields.coverURL ?? "", data: fields.data ?? "",
      customType: fields.customType ?? "", isEphemeral: command.isEphemeral,
      operators: (fields.operatorIDs ?? []).map { User(id: $0) },
      createdAt: node.services.clock.now)
    return { reply in
      node.create(channel) { _, result in reply(result.encodedForPlatform) }
    }
  }

  /// `GET /open_channels`: a page of channels, newest first.
  func listChannels() throws(ServiceError) -> Work {
    let urls = try request.texts("channel_urls", limit: Limits.channelURLLengths.upperBound)
    let showsFrozen = try request.boolean("show_frozen") ?? true
    let query = ChannelQuery(
      nameContains: try request.text("name_contains", limit: Limits.channelNameLength),
      urlContains: try request.text(
        "url_contains", limit: Limits.channelURLLengths.upperBound),
      customTypes: try request.texts("custom_types", limit: Limits.customTypeLength),
      urls: urls, freezing: showsFrozen ? .any : .unfrozen, limit: try request.pageSize(),
      token: try request.pageToken())
    let caller = request.caller
    return { reply in
      node.listChannels(query, for: caller) {
        $0.encodeForPlatform(into: &$1)
      } then: { _, result in
        reply(result)
      }
    }
  }

  /// `GET /open_channels/{url}`.
  func viewChannel() throws(ServiceError) -> Work { try performOnChannel(.view) }

  /// `PUT /open_channels/{url}`: changes what is given.
  func updateChannel() throws(ServiceError) -> Work {
    try performOnChannel(.update(ChannelFields(request.parameters)))
  }

  /// `DELETE /open_channels/{url}`: with all that is in it.
  func deleteChannel() throws(ServiceError) -> Work {
    try perform(.delete)
  }

  /// `GET …/participants`: who is in it, in the order of entering.
  func listParticipants() throws(ServiceError) -> Work {
    let limit = try request.pageSize()
    let token = try request.pageToken()
    return try inChannel { channel, reply in
      do throws(ServiceError) {
        let page = try channel.participantPage(limit: limit, token: token)
        let muted = page.users.filter { channel.restriction(.mute, of: $0.id) != nil }
        reply(.success(page.encodedForPlatform(mutedIDs: Set(muted.map(\.id)))))
      } catch {
        reply(.failure(error))
      }
    }
  }

  /// `PUT …/freeze`: freezes, or unfreezes with `freeze` false.
  func freezeChannel() throws(ServiceError) -> Work {
    let freezes = try request.parameters.boolean("freeze") ?? true
    return try performOnChannel(freezes ? .freeze : .unfreeze)
  }
}
