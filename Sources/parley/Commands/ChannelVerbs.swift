internal import ArgumentParser
internal import Basics

/// The commands that both kinds of channel have.
enum ChannelVerb<Channel: ChannelOfKind> {
  /// Creates a channel.
  struct Create: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "create", abstract: "Create a \(Channel.noun).",
        discussion: "The gateway chooses a URL if none is given.")
    }

    @Argument(help: "The channel's URL: 4 to 100 letters, digits, hyphens and underscores.")
    var url: String?

    @OptionGroup var fields: Channel.Fields
    @OptionGroup var creation: Channel.Creation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = fields.body
      body.set("channel_url", url)
      creation.add(to: &body)
      let answer = try gateway.client().call("POST", Channel.kind.path, body, fields.picture)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }

  /// Changes a channel.
  struct Update: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "update", abstract: "Change fields of a \(Channel.noun).",
        discussion: """
          Fields that are not given keep their values. --operator replaces all operators; \
          '\(Channel.noun) operators' adds and removes single ones.
          """)
    }

    @OptionGroup var channel: Channel
    @OptionGroup var fields: Channel.Fields
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !fields.body.isEmpty || fields.picture != nil else {
        throw ValidationError("no field to change is given; see --help for the options")
      }
    }

    func run() throws {
      let answer = try gateway.client().call("PUT", channel.path, fields.body, fields.picture)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }

  /// Deletes a channel.
  struct Delete: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "delete", abstract: "Delete a \(Channel.noun) and all its messages.")
    }

    @OptionGroup var channel: Channel
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try confirmation.ask("Delete \(DisplayText.shortened(channel.url)) and all its messages?")
      let answer = try gateway.client().call("DELETE", channel.path)
      try output.show(answer, as: "\(channel.url) is deleted")
    }
  }

  /// Freezes a channel: only operators may send.
  struct Freeze: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "freeze",
        abstract: "Freeze a \(Channel.noun): only operators may send messages.")
    }

    @OptionGroup var change: FreezeArguments<Channel>

    func run() throws { try change.perform(freeze: true) }
  }

  /// Unfreezes a channel.
  struct Unfreeze: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "unfreeze",
        abstract: "Unfreeze a \(Channel.noun): all users in it may send messages again.")
    }

    @OptionGroup var change: FreezeArguments<Channel>

    func run() throws { try change.perform(freeze: false) }
  }
}

/// Arguments of commands that freeze and unfreeze a channel.
struct FreezeArguments<Channel: ChannelOfKind>: ParsableArguments {
  @OptionGroup var channel: Channel
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  /// Sets the state of the channel and prints the channel.
  ///
  /// - Parameter freeze: The new state, as in the Platform API.
  func perform(freeze: Bool) throws {
    var body = RequestBody()
    body.set("freeze", freeze)
    let answer = try gateway.client().call("PUT", "\(channel.path)/freeze", body: body)
    try output.show(answer, as: ChannelText.lines(ofChannel:))
  }
}
