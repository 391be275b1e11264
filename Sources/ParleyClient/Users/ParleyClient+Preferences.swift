internal import ParleyProtocol

/// The choices of the current user that hold in all groups.
extension ParleyClient {
  /// Chooses whether the user joins a group as soon as it is invited.
  ///
  /// Open invitations stay open.
  public func setChannelInvitationPreference(autoAccept: Bool) async throws(ParleyError) {
    _ = try await core.perform(PreferenceCalls.choose(autoAccept: autoAccept))
  }

  /// Fetches whether the user joins a group as soon as it is invited.
  public func getChannelInvitationPreference() async throws(ParleyError) -> Bool {
    try await core.perform(PreferenceCalls.choose()).autoAccept
  }

  /// Chooses whether other members of groups learn how far the user has read.
  ///
  /// A user who does not send its receipts sees none of others either.
  ///
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400111 for `false` on a server that does not
  ///   permit private reads.
  public func setReadReceiptPreference(sendsReceipts: Bool) async throws(ParleyError) {
    _ = try await core.perform(PreferenceCalls.choose(sendsReceipts: sendsReceipts))
  }

  /// Fetches whether other members of groups learn how far the user has read.
  public func getReadReceiptPreference() async throws(ParleyError) -> Bool {
    try await core.perform(PreferenceCalls.choose()).sendsReceipts
  }

  /// Chooses how invitations are answered; see ``setChannelInvitationPreference(autoAccept:)``.
  public func setChannelInvitationPreference(
    autoAccept: Bool, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      PreferenceCalls.choose(autoAccept: autoAccept).map { _ in }, handler: completionHandler)
  }

  /// Fetches how invitations are answered; see ``getChannelInvitationPreference()``.
  public func getChannelInvitationPreference(
    completionHandler: @escaping @Sendable (Bool?, ParleyError?) -> Void
  ) {
    core.start(PreferenceCalls.choose().map { $0.autoAccept }, handler: completionHandler)
  }

  /// Chooses whether others see reads; see ``setReadReceiptPreference(sendsReceipts:)``.
  public func setReadReceiptPreference(
    sendsReceipts: Bool, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      PreferenceCalls.choose(sendsReceipts: sendsReceipts).map { _ in }, handler: completionHandler)
  }

  /// Fetches whether others see reads; see ``getReadReceiptPreference()``.
  public func getReadReceiptPreference(
    completionHandler: @escaping @Sendable (Bool?, ParleyError?) -> Void
  ) {
    core.start(PreferenceCalls.choose().map { $0.sendsReceipts }, handler: completionHandler)
  }
}

/// The request about the choices of the user.
private enum PreferenceCalls {
  struct Choices: Sendable {
    let autoAccept: Bool
    let sendsReceipts: Bool
  }

  /// Changes the given choices, and returns all.
  static func choose(autoAccept: Bool? = nil, sendsReceipts: Bool? = nil) -> Call<Choices> {
    Call(
      "user.preferences", .safe,
      params: {
        if let autoAccept { $0.member("auto_accept_invitations", autoAccept) }
        if let sendsReceipts { $0.member("send_read_receipts", sendsReceipts) }
      },
      reading: { (node: JSONNode) throws(ParleyError) in
        Choices(
          autoAccept: try AnswerReader.flag("auto_accept_invitations", of: node),
          sendsReceipts: try AnswerReader.flag("send_read_receipts", of: node))
      })
  }
}
