import GatewayHTTP
import Testing

@testable import Database
@testable import GatewayCore
@testable import LatchGateway
@testable import PictureLibrary
@testable import SignInBridge

/// An SQL statement of the gateway.
struct NamedStatement: Sendable, CustomTestStringConvertible {
    /// The type and the property, such as `ClientStatements.find`.
    let name: String
    let text: SQLText

    init(_ name: String, _ text: SQLText) {
        self.name = name
        self.text = text
    }

    var testDescription: String { name }
}

/// Every SQL statement of the gateway. A test compares the list with the sources.
enum EveryStatement {
    static let all: [NamedStatement] =
        [
            aPIKeyStatements,
            assetStatements,
            attemptStatements,
            banStatements,
            clientSessionStatements,
            clientSignOutStatements,
            clientStatements,
            deviceStatements,
            elevationStatements,
            identityStatements,
            keyAgreement,
            ownSessionStatements,
            pINStatements,
            peopleStatements,
            peopleStore,
            providerSessionStatements,
            serviceRoutes,
            sessionBoundStatements,
            sessionStatements,
            signingKeyStatements,
            unlinkedIdentityStatements,
            waitingRequestStatements,
        ].flatMap { $0 } + codes

    /// The statements of the tables of codes, which are made for each table.
    private static let codes: [NamedStatement] = DatabaseCodeStore.Table.allCases.flatMap { table -> [NamedStatement] in
        let statements = DatabaseCodeStatements(table)
        return [
            ("insert", statements.insert.text), ("exists", statements.exists.text), ("find", statements.find.text),
            ("delete", statements.delete.text),
            ("deleteExpired", statements.deleteExpired.text), ("count", statements.count.text),
            ("trim", statements.trim.text), ("record", statements.shares?.record.text),
            ("trimOfOwner", statements.shares?.trim.text),
        ].compactMap { name, text in text.map { (name, $0) } }.map { NamedStatement("\(table.rawValue).\($0.0)", $0.1) }
    }

    private static let aPIKeyStatements: [NamedStatement] = [
        NamedStatement("APIKeyStatements.insert", APIKeyStatements.insert.text),
        NamedStatement("APIKeyStatements.adoptSuccessors", APIKeyStatements.adoptSuccessors.text),
        NamedStatement("APIKeyStatements.deleteExcess", APIKeyStatements.deleteExcess.text),
        NamedStatement("APIKeyStatements.count", APIKeyStatements.count.text),
        NamedStatement("APIKeyStatements.find", APIKeyStatements.find.text),
        NamedStatement("APIKeyStatements.list", APIKeyStatements.list.text),
        NamedStatement("APIKeyStatements.listOfPerson", APIKeyStatements.listOfPerson.text),
        NamedStatement("APIKeyStatements.isAdministrator", APIKeyStatements.isAdministrator.text),
        NamedStatement("APIKeyStatements.owner", APIKeyStatements.owner.text),
        NamedStatement("APIKeyStatements.revoke", APIKeyStatements.revoke.text),
        NamedStatement("APIKeyStatements.revokeSuccessors", APIKeyStatements.revokeSuccessors.text),
        NamedStatement("APIKeyStatements.revokeAll", APIKeyStatements.revokeAll.text),
        NamedStatement("APIKeyStatements.use", APIKeyStatements.use.text),
        NamedStatement("APIKeyStatements.purge", APIKeyStatements.purge.text),
        NamedStatement("APIKeyStatements.lastSignIn", APIKeyStatements.lastSignIn.text),
    ]

    private static let assetStatements: [NamedStatement] = [
        NamedStatement("AssetStatements.part", AssetStatements.part.text),
        NamedStatement("AssetStatements.listed", AssetStatements.listed.text),
        NamedStatement("AssetStatements.videos", AssetStatements.videos.text),
        NamedStatement("AssetStatements.byID", AssetStatements.byID.text),
        NamedStatement("AssetStatements.searchNewestFirst", AssetStatements.searchNewestFirst.text),
        NamedStatement("AssetStatements.searchOldestFirst", AssetStatements.searchOldestFirst.text),
        NamedStatement("AssetStatements.count", AssetStatements.count.text),
        NamedStatement("AssetStatements.usage", AssetStatements.usage.text),
        NamedStatement("AssetStatements.albums", AssetStatements.albums.text),
        NamedStatement("AssetStatements.lastChange", AssetStatements.lastChange.text),
        NamedStatement("AssetStatements.firstChange", AssetStatements.firstChange.text),
        NamedStatement("AssetStatements.changes", AssetStatements.changes.text),
        NamedStatement("AssetStatements.album", AssetStatements.album.text),
        NamedStatement("AssetStatements.removeAlbum", AssetStatements.removeAlbum.text),
        NamedStatement("AssetStatements.albumPaths", AssetStatements.albumPaths.text),
        NamedStatement("AssetStatements.known", AssetStatements.known.text),
        NamedStatement("AssetStatements.moved", AssetStatements.moved.text),
        NamedStatement("AssetStatements.move", AssetStatements.move.text),
        NamedStatement("AssetStatements.insert", AssetStatements.insert.text),
        NamedStatement("AssetStatements.pair", AssetStatements.pair.text),
        NamedStatement("AssetStatements.remove", AssetStatements.remove.text),
        NamedStatement("AssetStatements.inFolder", AssetStatements.inFolder.text),
        NamedStatement("AssetStatements.months", AssetStatements.months.text),
        NamedStatement("AssetStatements.monthAscending", AssetStatements.monthAscending.text),
        NamedStatement("AssetStatements.monthDescending", AssetStatements.monthDescending.text),
    ]

    private static let attemptStatements: [NamedStatement] = [
        NamedStatement("AttemptStatements.find", AttemptStatements.find.text),
        NamedStatement("AttemptStatements.touch", AttemptStatements.touch.text),
        NamedStatement("AttemptStatements.update", AttemptStatements.update.text),
        NamedStatement("AttemptStatements.inProgressFromAddress", AttemptStatements.inProgressFromAddress.text),
        NamedStatement("AttemptStatements.inProgressOnAccount", AttemptStatements.inProgressOnAccount.text),
        NamedStatement("AttemptStatements.begin", AttemptStatements.begin.text),
        NamedStatement("AttemptStatements.end", AttemptStatements.end.text),
        NamedStatement("AttemptStatements.deleteEnded", AttemptStatements.deleteEnded.text),
        NamedStatement("AttemptStatements.deleteIdle", AttemptStatements.deleteIdle.text),
        NamedStatement("AttemptStatements.count", AttemptStatements.count.text),
        NamedStatement("AttemptStatements.deleteLeast", AttemptStatements.deleteLeast.text),
        NamedStatement("KnownAddressStatements.find", KnownAddressStatements.find.text),
        NamedStatement("KnownAddressStatements.record", KnownAddressStatements.record.text),
        NamedStatement("KnownAddressStatements.trim", KnownAddressStatements.trim.text),
        NamedStatement("KnownAddressStatements.deleteAll", KnownAddressStatements.deleteAll.text),
        NamedStatement("KnownAddressStatements.deleteUnused", KnownAddressStatements.deleteUnused.text),
    ]

    private static let clientSessionStatements: [NamedStatement] = [
        NamedStatement("ClientSessionStatements.insert", ClientSessionStatements.insert.text),
        NamedStatement("ClientSessionStatements.copyProvider", ClientSessionStatements.copyProvider.text),
        NamedStatement("ClientSessionStatements.find", ClientSessionStatements.find.text),
        NamedStatement("ClientSessionStatements.findSession", ClientSessionStatements.findSession.text),
        NamedStatement("ClientSessionStatements.setScopes", ClientSessionStatements.setScopes.text),
        NamedStatement("ClientSessionStatements.isLive", ClientSessionStatements.isLive.text),
        NamedStatement("ClientSessionStatements.rotate", ClientSessionStatements.rotate.text),
        NamedStatement("ClientSessionStatements.replaceAnswer", ClientSessionStatements.replaceAnswer.text),
        NamedStatement("ClientSessionStatements.promote", ClientSessionStatements.promote.text),
        NamedStatement("ClientSessionStatements.insertAccess", ClientSessionStatements.insertAccess.text),
        NamedStatement("ClientSessionStatements.findAccess", ClientSessionStatements.findAccess.text),
        NamedStatement("ClientSessionStatements.ownAccess", ClientSessionStatements.ownAccess.text),
        NamedStatement("ClientSessionStatements.sessionOfAccess", ClientSessionStatements.sessionOfAccess.text),
        NamedStatement("ClientSessionStatements.deleteOld", ClientSessionStatements.deleteOld.text),
        NamedStatement("ClientSessionStatements.deleteRepeated", ClientSessionStatements.deleteRepeated.text),
        NamedStatement("ClientSessionStatements.purge", ClientSessionStatements.purge.text),
    ]

    private static let clientSignOutStatements: [NamedStatement] = [
        NamedStatement("ClientSignOutStatements.dueClients", ClientSignOutStatements.dueClients.text),
        NamedStatement("ClientSignOutStatements.take", ClientSignOutStatements.take.text),
        NamedStatement("ClientSignOutStatements.postpone", ClientSignOutStatements.postpone.text),
        NamedStatement("ClientSignOutStatements.giveUp", ClientSignOutStatements.giveUp.text),
        NamedStatement("ClientSignOutStatements.remove", ClientSignOutStatements.remove.text),
        NamedStatement("ClientSignOutStatements.isOver", ClientSignOutStatements.isOver.text),
        NamedStatement("ClientSignOutStatements.trim", ClientSignOutStatements.trim.text),
    ]

    private static let clientStatements: [NamedStatement] = [
        NamedStatement("ClientStatements.register", ClientStatements.register.text),
        NamedStatement("ClientStatements.countRegistered", ClientStatements.countRegistered.text),
        NamedStatement("ClientStatements.oldestUnused", ClientStatements.oldestUnused.text),
        NamedStatement("ClientStatements.displaceable", ClientStatements.displaceable.text),
        NamedStatement("ClientStatements.update", ClientStatements.update.text),
        NamedStatement("ClientStatements.unused", ClientStatements.unused.text),
        NamedStatement("ClientStatements.longestIdle", ClientStatements.longestIdle.text),
        NamedStatement("ClientStatements.unverified", ClientStatements.unverified.text),
        NamedStatement("ClientStatements.recordUse", ClientStatements.recordUse.text),
        NamedStatement("ClientStatements.excessOfPerson", ClientStatements.excessOfPerson.text),
        NamedStatement("ClientStatements.page", ClientStatements.page.text),
        NamedStatement("ClientStatements.use", ClientStatements.use.text),
        NamedStatement("ClientStatements.lastUsed", ClientStatements.lastUsed.text),
        NamedStatement("ClientStatements.setSettings", ClientStatements.setSettings.text),
        NamedStatement("ClientStatements.decide", ClientStatements.decide.text),
        NamedStatement("ClientStatements.find", ClientStatements.find.text),
        NamedStatement("ClientStatements.exists", ClientStatements.exists.text),
        NamedStatement("ClientStatements.list", ClientStatements.list.text),
        NamedStatement("ClientStatements.insert", ClientStatements.insert.text),
        NamedStatement("ClientStatements.remove", ClientStatements.remove.text),
        NamedStatement("ClientStatements.removeConsentsOfPerson", ClientStatements.removeConsentsOfPerson.text),
        NamedStatement("ClientStatements.removeConsents", ClientStatements.removeConsents.text),
        NamedStatement("ClientStatements.endSessionsOfPerson", ClientStatements.endSessionsOfPerson.text),
        NamedStatement("ClientStatements.endSessions", ClientStatements.endSessions.text),
        NamedStatement("ClientStatements.consent", ClientStatements.consent.text),
        NamedStatement("ClientStatements.allow", ClientStatements.allow.text),
        NamedStatement("ClientStatements.consents", ClientStatements.consents.text),
        NamedStatement("ClientStatements.hasNewerSession", ClientStatements.hasNewerSession.text),
        NamedStatement("ClientStatements.liveOfPerson", ClientStatements.liveOfPerson.text),
        NamedStatement("ClientStatements.excessConsents", ClientStatements.excessConsents.text),
        NamedStatement("ClientStatements.stolen", ClientStatements.stolen.text),
        NamedStatement("ClientStatements.withdraw", ClientStatements.withdraw.text),
    ]

    private static let deviceStatements: [NamedStatement] = [
        NamedStatement("DeviceStatements.insert", DeviceStatements.insert.text),
        NamedStatement("DeviceStatements.count", DeviceStatements.count.text),
        NamedStatement("DeviceStatements.trim", DeviceStatements.trim.text),
        NamedStatement("DeviceStatements.findWaiting", DeviceStatements.findWaiting.text),
        NamedStatement("DeviceStatements.decide", DeviceStatements.decide.text),
        NamedStatement("DeviceStatements.find", DeviceStatements.find.text),
        NamedStatement("DeviceStatements.recordPoll", DeviceStatements.recordPoll.text),
        NamedStatement("DeviceStatements.remove", DeviceStatements.remove.text),
        NamedStatement("DeviceStatements.purge", DeviceStatements.purge.text),
    ]

    private static let elevationStatements: [NamedStatement] = [
        NamedStatement("ElevationStatements.find", ElevationStatements.find.text),
        NamedStatement("ElevationStatements.begin", ElevationStatements.begin.text),
        NamedStatement("ElevationStatements.end", ElevationStatements.end.text),
        NamedStatement("ElevationStatements.extend", ElevationStatements.extend.text),
        NamedStatement("ElevationStatements.endAll", ElevationStatements.endAll.text),
    ]

    private static let identityStatements: [NamedStatement] = [
        NamedStatement("IdentityStatements.person", IdentityStatements.person.text),
        NamedStatement("IdentityStatements.insert", IdentityStatements.insert.text),
        NamedStatement("IdentityStatements.setTrust", IdentityStatements.setTrust.text),
        NamedStatement("IdentityStatements.trust", IdentityStatements.trust.text),
        NamedStatement("IdentityStatements.setGroups", IdentityStatements.setGroups.text),
        NamedStatement("IdentityStatements.groups", IdentityStatements.groups.text),
        NamedStatement("IdentityStatements.providersWithGroups", IdentityStatements.providersWithGroups.text),
        NamedStatement("IdentityStatements.deleteGroups", IdentityStatements.deleteGroups.text),
        NamedStatement("IdentityStatements.link", IdentityStatements.link.text),
        NamedStatement("IdentityStatements.candidate", IdentityStatements.candidate.text),
        NamedStatement("IdentityStatements.verify", IdentityStatements.verify.text),
        NamedStatement("IdentityStatements.vouch", IdentityStatements.vouch.text),
        NamedStatement("IdentityStatements.dropPassword", IdentityStatements.dropPassword.text),
        NamedStatement("IdentityStatements.all", IdentityStatements.all.text),
        NamedStatement("IdentityStatements.ofPerson", IdentityStatements.ofPerson.text),
        NamedStatement("IdentityStatements.unlink", IdentityStatements.unlink.text),
        NamedStatement("IdentityStatements.unlinkAll", IdentityStatements.unlinkAll.text),
        NamedStatement("IdentityStatements.hasPassword", IdentityStatements.hasPassword.text),
        NamedStatement("IdentityStatements.hasNoWay", IdentityStatements.hasNoWay.text),
        NamedStatement("IdentityStatements.withPassword", IdentityStatements.withPassword.text),
    ]

    private static let keyAgreement: [NamedStatement] = [
        NamedStatement("KeyAgreement.other", KeyAgreement.other.text),
        NamedStatement("KeyAgreement.renew", KeyAgreement.renew.text),
        NamedStatement("KeyAgreement.deleteOld", KeyAgreement.deleteOld.text),
        NamedStatement("KeyAgreement.delete", KeyAgreement.delete.text),
    ]

    private static let ownSessionStatements: [NamedStatement] = [
        NamedStatement("OwnSessionStatements.live", OwnSessionStatements.live.text),
        NamedStatement("OwnSessionStatements.byID", OwnSessionStatements.byID.text),
        NamedStatement("OwnSessionStatements.byUUID", OwnSessionStatements.byUUID.text),
        NamedStatement("OwnSessionStatements.withoutUUID", OwnSessionStatements.withoutUUID.text),
        NamedStatement("OwnSessionStatements.adopt", OwnSessionStatements.adopt.text),
        NamedStatement("OwnSessionStatements.noteSync", OwnSessionStatements.noteSync.text),
        NamedStatement("OwnSessionStatements.noteApp", OwnSessionStatements.noteApp.text),
    ]

    private static let pINStatements: [NamedStatement] = [
        NamedStatement("PINStatements.replaceHash", PINStatements.replaceHash.text),
        NamedStatement("PINStatements.isSet", PINStatements.isSet.text),
        NamedStatement("PINStatements.isSameEpoch", PINStatements.isSameEpoch.text),
        NamedStatement("PINStatements.isLive", PINStatements.isLive.text),
        NamedStatement("PINStatements.find", PINStatements.find.text),
        NamedStatement("PINStatements.insert", PINStatements.insert.text),
        NamedStatement("PINStatements.change", PINStatements.change.text),
        NamedStatement("PINStatements.delete", PINStatements.delete.text),
        NamedStatement("PINStatements.count", PINStatements.count.text),
        NamedStatement("PINStatements.resetAttempts", PINStatements.resetAttempts.text),
        NamedStatement("PINStatements.returnAttempt", PINStatements.returnAttempt.text),
    ]

    private static let peopleStatements: [NamedStatement] = [
        NamedStatement("PeopleStatements.insert", PeopleStatements.insert.text),
        NamedStatement("PeopleStatements.all", PeopleStatements.all.text),
        NamedStatement("PeopleStatements.count", PeopleStatements.count.text),
        NamedStatement("PeopleStatements.page", PeopleStatements.page.text),
        NamedStatement("PeopleStatements.mayUnlink", PeopleStatements.mayUnlink.text),
        NamedStatement("PeopleStatements.setAdministrator", PeopleStatements.setAdministrator.text),
        NamedStatement("PeopleStatements.byEmail", PeopleStatements.byEmail.text),
        NamedStatement("PeopleStatements.byID", PeopleStatements.byID.text),
        NamedStatement("PeopleStatements.isAdministrator", PeopleStatements.isAdministrator.text),
        NamedStatement("PeopleStatements.hasPeople", PeopleStatements.hasPeople.text),
        NamedStatement("PeopleStatements.credential", PeopleStatements.credential.text),
        NamedStatement("PeopleStatements.kinds", PeopleStatements.kinds.text),
        NamedStatement("PeopleStatements.isSignedOut", PeopleStatements.isSignedOut.text),
        NamedStatement("PeopleStatements.setPassword", PeopleStatements.setPassword.text),
        NamedStatement("PeopleStatements.choosePassword", PeopleStatements.choosePassword.text),
        NamedStatement("PeopleStatements.changeProfile", PeopleStatements.changeProfile.text),
        NamedStatement("PeopleStatements.rehash", PeopleStatements.rehash.text),
        NamedStatement("PeopleStatements.disable", PeopleStatements.disable.text),
        NamedStatement("PeopleStatements.enable", PeopleStatements.enable.text),
        NamedStatement("PeopleStatements.remove", PeopleStatements.remove.text),
    ]

    private static let peopleStore: [NamedStatement] = [
        NamedStatement("PeopleStore.rename", PeopleStore.rename.text)
    ]

    private static let providerSessionStatements: [NamedStatement] = [
        NamedStatement("ProviderSessionStatements.record", ProviderSessionStatements.record.text),
        NamedStatement("ProviderSessionStatements.bound", ProviderSessionStatements.bound.text),
        NamedStatement("ProviderSessionStatements.provider", ProviderSessionStatements.provider.text),
        NamedStatement("ProviderSessionStatements.providerSession", ProviderSessionStatements.providerSession.text),
        NamedStatement("ProviderSessionStatements.isKnown", ProviderSessionStatements.isKnown.text),
        NamedStatement("ProviderSessionStatements.end", ProviderSessionStatements.end.text),
        NamedStatement("ProviderSessionStatements.remember", ProviderSessionStatements.remember.text),
        NamedStatement("ProviderSessionStatements.isSignedOut", ProviderSessionStatements.isSignedOut.text),
        NamedStatement("ProviderSessionStatements.deleteExpired", ProviderSessionStatements.deleteExpired.text),
        NamedStatement("ProviderSessionStatements.nextNumber", ProviderSessionStatements.nextNumber.text),
        NamedStatement("ProviderSessionStatements.deleteOldest", ProviderSessionStatements.deleteOldest.text),
    ]

    private static let serviceRoutes: [NamedStatement] = [
        NamedStatement("ServiceRoutes.ask", ServiceRoutes.ask.text)
    ]

    private static let sessionBoundStatements: [NamedStatement] = [
        NamedStatement("SessionBoundStatements.endExcess", SessionBoundStatements.endExcess.text),
        NamedStatement("SessionBoundStatements.countRecent", SessionBoundStatements.countRecent.text),
        NamedStatement("SessionBoundStatements.deleteEnded", SessionBoundStatements.deleteEnded.text),
        NamedStatement("SessionBoundStatements.deleteReused", SessionBoundStatements.deleteReused.text),
        NamedStatement("SessionBoundStatements.deleteExpired", SessionBoundStatements.deleteExpired.text),
    ]

    private static let sessionStatements: [NamedStatement] = [
        NamedStatement("SessionStatements.insert", SessionStatements.insert.text),
        NamedStatement("SessionStatements.bind", SessionStatements.bind.text),
        NamedStatement("SessionStatements.find", SessionStatements.find.text),
        NamedStatement("SessionStatements.isAdministrator", SessionStatements.isAdministrator.text),
        NamedStatement("SessionStatements.refresh", SessionStatements.refresh.text),
        NamedStatement("SessionStatements.extend", SessionStatements.extend.text),
        NamedStatement("SessionStatements.endByToken", SessionStatements.endByToken.text),
        NamedStatement("SessionStatements.endByID", SessionStatements.endByID.text),
        NamedStatement("SessionStatements.endAll", SessionStatements.endAll.text),
        NamedStatement("SessionStatements.bumpEpoch", SessionStatements.bumpEpoch.text),
        NamedStatement("SessionStatements.list", SessionStatements.list.text),
        NamedStatement("SessionStatements.liveOfPerson", SessionStatements.liveOfPerson.text),
        NamedStatement("SessionStatements.livePage", SessionStatements.livePage.text),
        NamedStatement("SessionStatements.endOfPerson", SessionStatements.endOfPerson.text),
        NamedStatement("SessionStatements.endAllowed", SessionStatements.endAllowed.text),
        NamedStatement("SessionStatements.endOthers", SessionStatements.endOthers.text),
        NamedStatement("SessionStatements.live", SessionStatements.live.text),
        NamedStatement("SessionStatements.countLive", SessionStatements.countLive.text),
        NamedStatement("SessionStatements.endOrphans", SessionStatements.endOrphans.text),
        NamedStatement("SessionStatements.purgeEnded", SessionStatements.purgeEnded.text),
        NamedStatement("SessionStatements.purgeExpired", SessionStatements.purgeExpired.text),
    ]

    private static let signingKeyStatements: [NamedStatement] = [
        NamedStatement("SigningKeyStatements.all", SigningKeyStatements.all.text),
        NamedStatement("SigningKeyStatements.insert", SigningKeyStatements.insert.text),
        NamedStatement("SigningKeyStatements.need", SigningKeyStatements.need.text),
        NamedStatement("SigningKeyStatements.deleteUnneeded", SigningKeyStatements.deleteUnneeded.text),
        NamedStatement("SigningKeyStatements.deleteOthers", SigningKeyStatements.deleteOthers.text),
    ]

    private static let unlinkedIdentityStatements: [NamedStatement] = [
        NamedStatement("UnlinkedIdentityStatements.record", UnlinkedIdentityStatements.record.text),
        NamedStatement("UnlinkedIdentityStatements.noteAll", UnlinkedIdentityStatements.noteAll.text),
        NamedStatement("UnlinkedIdentityStatements.trim", UnlinkedIdentityStatements.trim.text),
        NamedStatement("UnlinkedIdentityStatements.purge", UnlinkedIdentityStatements.purge.text),
        NamedStatement("UnlinkedIdentityStatements.isKnown", UnlinkedIdentityStatements.isKnown.text),
        NamedStatement("UnlinkedIdentityStatements.last", UnlinkedIdentityStatements.last.text),
        NamedStatement("UnlinkedIdentityStatements.byID", UnlinkedIdentityStatements.byID.text),
    ]

    private static let banStatements: [NamedStatement] = [
        NamedStatement("BanStatements.all", BanStatements.all.text),
        NamedStatement("BanStatements.countOthers", BanStatements.countOthers.text),
        NamedStatement("BanStatements.add", BanStatements.add.text),
        NamedStatement("BanStatements.remove", BanStatements.remove.text),
        NamedStatement("BanStatements.removeEnded", BanStatements.removeEnded.text),
    ]

    private static let waitingRequestStatements: [NamedStatement] = [
        NamedStatement("WaitingRequestStatements.save", WaitingRequestStatements.save.text),
        NamedStatement("WaitingRequestStatements.exists", WaitingRequestStatements.exists.text),
        NamedStatement("WaitingRequestStatements.remove", WaitingRequestStatements.remove.text),
        NamedStatement("WaitingRequestStatements.removeExpired", WaitingRequestStatements.removeExpired.text),
        NamedStatement("WaitingRequestStatements.trim", WaitingRequestStatements.trim.text),
    ]
}
