import Channels
import Configuration
import ParleyProtocol
import Store

/// Groups themselves, below `/v3/group_channels`.
enum GroupEndpoints {
  /// `POST /group_channels`: creates a group of the existing users among those named, or finds the
  /// distinct group of the same users.
  static func create(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    let submission = try GroupSubmission(body)
    let survivalSeconds = try body.survivalSeconds()
    let (services, address) = (call.services, call.address)
    services.store.perform(ExistingUsers(among: submission.userIDs)) { result in
      do throws(ServiceError) {
        var submission = submission
        try submission.keep(try result.serviceResult.get())
        let creation = try GroupCreation(
          submission.group, by: submission.inviterID.map { User(id: $0) },
          under: services.settings.groups, survivalSeconds: survivalSeconds,
          at: services.clock.now)
        services.shards.send(
          .channel(
            url: creation.channel.url, .createGroup(creation, replyTo: .exchange(address))),
          from: address)
      } catch {
        completion.fail(error)
      }
    }
  }

  /// `GET /group_channels/{url}`, with `user_id` as this user sees it.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let showsMembers = try call.query.boolean("show_member") ?? false
    let userID = try call.query.optionalUserID("user_id")
    let activeMode = try call.query.activeMode("member_active_mode")
    let parts = GroupParts(
      members: showsMembers, activeMode: activeMode, own: userID != nil,
      receipts: try ShownReceipts(call.query))
    try call.inChannel(completion) { channel in
      guard let userID else { return channel.viewGroup(parts, completion) }
      channel.perform(AccountLookup(userID)) { channel, result in
        switch result.existing(userID) {
        case .success(let account):
          channel.viewGroup(parts, onBehalfOf: account.user, completion)
        case .failure(let error): completion.fail(error)
        }
      }
    }
  }

  /// `PUT /group_channels/{url}`: changes the given members.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    try body.refuse(UnsupportedMember.ofGroupChanges)
    let command = ChannelCommand.group(.update(try ChannelFields(group: body)))
    try call.settingSurvival(completion) { channel in
      channel.perform(command, of: completion.address.trace) { $0.answer($1, .channel, completion) }
    }
  }

  /// `DELETE /group_channels/{url}`: deletes a group with all its contents.
  static func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.perform(.group(.delete), completion)
  }
}

/// The members of a group, below `/v3/group_channels/{url}`.
enum MemberEndpoints {
  /// `POST …/invite`: makes users members, who join at once or are invited, depending on their preference.
  static func invite(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    try body.refuse(UnsupportedMember.ofInvitations)
    let ids = try body.userIDs("user_ids", limit: Limits.memberListCount) ?? []
    guard !ids.isEmpty else { throw .missing("user_ids") }
    let inviterID = try body.optionalUserID("inviter_id")
    try call.perform(.change(.invite(ids)), onBehalfOf: inviterID, completion) { channel, result in
      channel.answer(result, .members, completion)
    }
  }

  /// `PUT …/accept`: makes an invited user a joined member.
  static func accept(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.body.userID()
    try call.perform(.change(.accept), onBehalfOf: userID, completion) { channel, result in
      channel.answer(result, .members, completion)
    }
  }

  /// `PUT …/decline`: ends an invitation.
  static func decline(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.body.userID()
    try call.perform(.change(.decline), onBehalfOf: userID, completion) { completion.empty($1) }
  }

  /// `PUT …/join`: makes a user a joined member of a public group.
  static func join(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    let userID = try body.userID()
    let code = try body.text("access_code", limit: Limits.accessCodeLength) ?? ""
    let change = MembershipChange.join(accessCode: code)
    try call.perform(.change(change), onBehalfOf: userID, completion) { channel, result in
      channel.answer(result, .members, completion)
    }
  }

  /// `PUT …/leave`: ends the memberships of users, or of all.
  ///
  /// Users who are no members are skipped.
  static func leave(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    _ = try body.text("reason", limit: Limits.muteDescriptionLength)
    let endsRoles = try body.boolean("should_remove_operator_status") ?? false
    let leavesAll = try body.boolean("should_leave_all") ?? false
    let ids = try body.userIDs("user_ids", limit: Limits.memberListCount) ?? []
    guard leavesAll || !ids.isEmpty else { throw .missing("user_ids") }
    let change = MembershipChange.release(
      userIDs: leavesAll ? nil : ids, keepsRoles: !endsRoles)
    try call.perform(.group(.change(change)), completion)
  }

  /// `GET …/members`: a page of the members, in the order in which they became members; with `user_id`, whom
  /// this user blocks, and who blocks it; with `include_push_preference`, which messages are pushed to them.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let query = call.query
    let state = try query.choice("member_state_filter", of: MemberStateFilter.self)?.state
    let operators =
      try query.choice("operator_filter", of: MessageQuery.OperatorFilter.self) ?? .all
    let activeMode = try query.activeMode("member_active_mode_filter")
    let (limit, token) = (try query.pageSize(), try query.pageToken())
    let receipts = try ShownReceipts(query)
    let viewerID = try query.optionalUserID("user_id")
    let showsPushes = try query.boolean("include_push_preference") ?? false
    let caller = call.caller
    try call.inChannel(completion) { channel in
      let encoder = channel.memberEncoder(for: nil) { member, listed, writer in
        writer.object {
          member.encodeForPlatform(receipts, into: &$0)
          if viewerID != nil { listed.encodeBlocks(into: &$0) }
          if showsPushes { member.encodePushPreference(into: &$0) }
        }
      }
      let listing = MemberListing(
        channelID: channel.place.id, state: state, operatorFilter: operators,
        activeMode: activeMode, seenBy: viewerID, limit: limit, token: token, as: encoder)
      channel.perform(listing, for: caller, { $0.encoded(as: "members") }) { _, result in
        completion(result)
      }
    }
  }

  /// `GET …/members/{user_id}`: whether a user is a member, joined or invited.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    try call.inChannel(completion) { channel in
      channel.perform(AccountLookup(userID)) { channel, result in
        let state = channel.memberState(of: userID)
        completion(result.existing(userID)) { _, writer in
          writer.object {
            $0.member("is_member", state != nil)
            $0.member("state", state.text)
          }
        }
      }
    }
  }
}

extension PlatformCall {
  /// Sends a command to the group in the path, and answers with the group.
  fileprivate func perform(
    _ command: ChannelCommand, _ parts: GroupParts, _ completion: Completion
  ) throws(ServiceError) {
    try inChannel(completion) { channel in
      channel.perform(command, of: completion.address.trace) {
        $0.answer($1, parts, completion)
      }
    }
  }

  /// Sends a command to the group in the path on behalf of a user, who must exist and be active.
  func perform(
    _ command: GroupCommand, onBehalfOf userID: String?, _ completion: Completion,
    _ answer: @escaping ChannelHost.Answer
  ) throws(ServiceError) {
    try inChannel(completion) { channel in
      // Paths below a user do not name the kind of channel.
      guard channel.kind == .group else {
        return completion.fail(.notFound(.channel, channel.url))
      }
      let command = ChannelCommand.group(command)
      let trace = completion.address.trace
      guard let userID else { return channel.perform(command, of: trace, then: answer) }
      channel.perform(AccountLookup(userID)) { channel, result in
        do throws(ServiceError) {
          let account = try result.existing(userID).get()
          guard account.isActive else { throw .deactivated(userID) }
          channel.perform(command, onBehalfOf: account.user, of: trace, then: answer)
        } catch {
          completion.fail(error)
        }
      }
    }
  }
}
