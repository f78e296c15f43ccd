package access

import "slices"

// UseCase is one use case of staff: an exported method of the domain that requires a permission.
type UseCase string

// The use cases of staff.
const (
	// Of the whole shop.
	ToFollowEvents UseCase = "FollowEvents"
	ToFindSummary  UseCase = "FindSummary"
	ToSearchShop   UseCase = "SearchShop"

	// Of orders.
	ToListOrders         UseCase = "ListOrders"
	ToListOrderRows      UseCase = "ListOrderRows"
	ToFindOrderAsStaff   UseCase = "FindOrderAsStaff"
	ToListFlags          UseCase = "ListFlags"
	ToListBuyerMessages  UseCase = "ListBuyerMessages"
	ToFindInvoiceUID     UseCase = "FindInvoiceUID"
	ToCountOrders        UseCase = "CountOrders"
	ToConfirmOrder       UseCase = "ConfirmOrder"
	ToCancelOrderAsStaff UseCase = "CancelOrderAsStaff"
	ToCancelOrders       UseCase = "CancelOrders"
	ToResolveFlags       UseCase = "ResolveFlags"
	ToReplaceOrderToken  UseCase = "ReplaceOrderToken"
	ToRecordCall         UseCase = "RecordCall"
	ToAddNote            UseCase = "AddNote"
	ToDeleteNote         UseCase = "DeleteNote"
	ToTagOrder           UseCase = "TagOrder"
	ToClaimOrder         UseCase = "ClaimOrder"
	ToReleaseOrder       UseCase = "ReleaseOrder"
	ToPrintOrders        UseCase = "PrintOrders"
	ToMarkPrinted        UseCase = "MarkPrinted"
	ToRecordShipment     UseCase = "RecordShipment"
	ToBookShipment       UseCase = "BookShipment"
	ToTrackShipments     UseCase = "TrackShipments"
	ToCancelShipment     UseCase = "CancelShipment"
	ToPriceShipment      UseCase = "PriceShipment"
	ToSaveCashRate       UseCase = "SaveCashRate"

	ToListCourierPlaces   UseCase = "ListCourierPlaces"
	ToSuggestCourierPlace UseCase = "SuggestCourierPlace"

	ToMarkDelivered     UseCase = "MarkDelivered"
	ToMarkReturned      UseCase = "MarkReturned"
	ToEditOrder         UseCase = "EditOrder"
	ToPlaceOrderAsStaff UseCase = "PlaceOrderAsStaff"
	ToParseOrder        UseCase = "ParseOrder"
	ToRecordAdvance     UseCase = "RecordAdvance"
	ToRemoveAdvance     UseCase = "RemoveAdvance"
	ToCheckShipment     UseCase = "CheckShipment"

	// Of payments.
	ToListPaymentAttempts UseCase = "ListPaymentAttempts"
	ToFindPaymentAttempt  UseCase = "FindPaymentAttempt"
	ToResolvePayment      UseCase = "ResolvePayment"
	ToRefundPayment       UseCase = "RefundPayment"
	ToMarkRefunded        UseCase = "MarkRefunded"
	ToMarkCashRefunded    UseCase = "MarkCashRefunded"

	// Of catalogue and stock.
	ToListProducts          UseCase = "ListProducts"
	ToExportProducts        UseCase = "ExportProducts"
	ToFindStockHistory      UseCase = "FindStockHistory"
	ToListStock             UseCase = "ListStock"
	ToFindProductRecord     UseCase = "FindProductRecord"
	ToListCollectionRecords UseCase = "ListCollectionRecords"
	ToFindCollectionRecord  UseCase = "FindCollectionRecord"
	ToCreateProduct         UseCase = "CreateProduct"
	ToDuplicateProduct      UseCase = "DuplicateProduct"
	ToUpdateProduct         UseCase = "UpdateProduct"
	ToDeleteProduct         UseCase = "DeleteProduct"
	ToDeleteCollection      UseCase = "DeleteCollection"
	ToSaveProduct           UseCase = "SaveProduct"
	ToImportProducts        UseCase = "ImportProducts"
	ToSaveCollection        UseCase = "SaveCollection"
	ToUpdateCollection      UseCase = "UpdateCollection"
	ToArrangeCollection     UseCase = "ArrangeCollection"
	ToAddToCollection       UseCase = "AddToCollection"
	ToRemoveFromCollection  UseCase = "RemoveFromCollection"
	ToChangeStock           UseCase = "ChangeStock"
	ToChangeStocks          UseCase = "ChangeStocks"
	ToListMedia             UseCase = "ListMedia"
	ToFindMedia             UseCase = "FindMedia"
	ToUploadMedia           UseCase = "UploadMedia"
	ToUpdateMedia           UseCase = "UpdateMedia"
	ToDeleteMedia           UseCase = "DeleteMedia"
	ToImportMedia           UseCase = "ImportMedia"

	// Of customers and coupons.
	ToListCustomers      UseCase = "ListCustomers"
	ToFindCustomerRecord UseCase = "FindCustomerRecord"
	ToFindContact        UseCase = "FindContact"
	ToUpdateContact      UseCase = "UpdateContact"
	ToResetPassword      UseCase = "ResetPassword"
	ToDeleteCustomer     UseCase = "DeleteCustomer"
	ToExportCustomer     UseCase = "ExportCustomer"
	ToExportOrders       UseCase = "ExportOrders"
	ToListCoupons        UseCase = "ListCoupons"
	ToFindCoupon         UseCase = "FindCoupon"
	ToSaveCoupon         UseCase = "SaveCoupon"
	ToUpdateCoupon       UseCase = "UpdateCoupon"
	ToEnableCoupon       UseCase = "EnableCoupon"
	ToDeleteCoupon       UseCase = "DeleteCoupon"
	ToDisableCoupon      UseCase = "DisableCoupon"

	// Of cash on delivery.
	ToReportCash         UseCase = "ReportCash"
	ToListLedger         UseCase = "ListLedger"
	ToReconcileStatement UseCase = "ReconcileStatement"
	ToListStatements     UseCase = "ListStatements"
	ToFindStatement      UseCase = "FindStatement"
	ToExportCash         UseCase = "ExportCash"

	ToListCourierBalances UseCase = "ListCourierBalances"

	// Of analytics.
	ToReportSales    UseCase = "ReportSales"
	ToExportSales    UseCase = "ExportSales"
	ToReportOverview UseCase = "ReportOverview"
	ToExportOverview UseCase = "ExportOverview"

	// Of settings and providers.
	ToFindBacklog          UseCase = "FindBacklog"
	ToListMessageTemplates UseCase = "ListMessageTemplates"
	ToFindSettings         UseCase = "FindSettings"
	ToSetSettings          UseCase = "SetSettings"
	ToSuspend              UseCase = "Suspend"
	ToResume               UseCase = "Resume"
	ToSetMode              UseCase = "SetMode"
	ToSendTestMessage      UseCase = "SendTestMessage"
	ToListPlugins          UseCase = "ListPlugins"
	ToListWebhookURLs      UseCase = "ListWebhookURLs"
	ToListWebhooks         UseCase = "ListWebhooks"
	ToFindWebhook          UseCase = "FindWebhook"
	ToListRefusedWebhooks  UseCase = "ListRefusedWebhooks"
	ToSMSConfig            UseCase = "SMSConfig"
	ToMailConfig           UseCase = "MailConfig"
	ToValidatePlugin       UseCase = "ValidatePlugin"
	ToConfigurePlugin      UseCase = "ConfigurePlugin"
	ToCourierTestCall      UseCase = "CourierTestCall"
	ToReplayWebhook        UseCase = "ReplayWebhook"
	ToConfigureSMS         UseCase = "ConfigureSMS"
	ToSendTestSMS          UseCase = "SendTestSMS"
	ToConfigureMail        UseCase = "ConfigureMail"
	ToSendTestMail         UseCase = "SendTestMail"

	// Of jobs.
	ToChangeOrders   UseCase = "ChangeOrders"
	ToChangeProducts UseCase = "ChangeProducts"
	ToListJobs       UseCase = "ListJobs"
	ToFindJob        UseCase = "FindJob"
	ToCancelJob      UseCase = "CancelJob"
	ToRetryJob       UseCase = "RetryJob"

	// Of webhook endpoints.
	ToListEndpoints  UseCase = "ListEndpoints"
	ToFindEndpoint   UseCase = "FindEndpoint"
	ToCreateEndpoint UseCase = "CreateEndpoint"
	ToUpdateEndpoint UseCase = "UpdateEndpoint"
	ToDeleteEndpoint UseCase = "DeleteEndpoint"
	ToRotateEndpoint UseCase = "RotateEndpoint"
	ToTestEndpoint   UseCase = "TestEndpoint"
	ToListDeliveries UseCase = "ListDeliveries"
	ToRedeliverRange UseCase = "RedeliverRange"
	ToRedeliver      UseCase = "Redeliver"

	// Of notifications to staff members.
	ToFindChannels       UseCase = "FindChannels"
	ToConfigureChannels  UseCase = "ConfigureChannels"
	ToTestMember         UseCase = "TestMember"
	ToFindPreferences    UseCase = "FindPreferences"
	ToUpdatePreferences  UseCase = "UpdatePreferences"
	ToFindRecent         UseCase = "FindRecent"
	ToMarkSeen           UseCase = "MarkSeen"
	ToSaveDevice         UseCase = "SaveDevice"
	ToRemoveDevice       UseCase = "RemoveDevice"
	ToStartTelegramLink  UseCase = "StartTelegramLink"
	ToFinishTelegramLink UseCase = "FinishTelegramLink"
	ToEndTelegramLink    UseCase = "EndTelegramLink"
	ToTestNotifications  UseCase = "TestNotifications"

	// Of API keys and the audit log.
	ToListAPIKeys  UseCase = "ListAPIKeys"
	ToCreateAPIKey UseCase = "CreateAPIKey"
	ToRevokeAPIKey UseCase = "RevokeAPIKey"
	ToListAudit    UseCase = "ListAudit"

	// Of staff members.
	ToListMembers       UseCase = "ListMembers"
	ToFindMember        UseCase = "FindMember"
	ToInviteMember      UseCase = "InviteMember"
	ToUpdateMember      UseCase = "UpdateMember"
	ToTurnOffMember     UseCase = "TurnOffMember"
	ToRemoveMember      UseCase = "RemoveMember"
	ToCreateLink        UseCase = "CreateLink"
	ToEndMemberSessions UseCase = "EndMemberSessions"

	// Of the server, before anybody signs in.
	ToFindStart UseCase = "FindStart"
	ToSetUp     UseCase = "SetUp"

	// Of sign-in, which everybody may attempt.
	ToSignIn              UseCase = "SignIn"
	ToInspectLink         UseCase = "InspectLink"
	ToUseLink             UseCase = "UseLink"
	ToRequestPasswordCode UseCase = "RequestPasswordCode"
	ToResetOwnPassword    UseCase = "ResetOwnPassword"

	// Of a staff member's own account.
	ToFindSession       UseCase = "FindSession"
	ToProveSession      UseCase = "ProveSession"
	ToEndSession        UseCase = "EndSession"
	ToListSessions      UseCase = "ListSessions"
	ToEndOwnSession     UseCase = "EndOwnSession"
	ToEndOwnSessions    UseCase = "EndOwnSessions"
	ToUpdateMe          UseCase = "UpdateMe"
	ToChangeOwnPassword UseCase = "ChangeOwnPassword"
	ToStartTOTP         UseCase = "StartTOTP"
	ToConfirmTOTP       UseCase = "ConfirmTOTP"
	ToRemoveTOTP        UseCase = "RemoveTOTP"

	// Of the operator's own.
	ToSeed             UseCase = "Seed"
	ToSeedCollection   UseCase = "SeedCollection"
	ToSigningKeys      UseCase = "SigningKeys"
	ToRotateSigningKey UseCase = "RotateSigningKey"
)

// Rule states who may execute a use case, and how it appears in the audit log.
type Rule struct {
	UseCase    UseCase
	Permission Permission
	Action     string // in the audit log: a noun and a verb; "" for a use case that only reads
}

// rules is the one table of the use cases of staff.
var rules = []Rule{
	{ToFollowEvents, Any, ""},
	{ToFindSummary, Any, ""},
	{ToSearchShop, Any, ""},
	{ToListOrders, OrdersRead, ""},
	{ToListOrderRows, OrdersRead, ""},
	{ToFindOrderAsStaff, OrdersRead, ""},
	{ToListFlags, OrdersRead, ""},
	{ToFindInvoiceUID, OrdersRead, ""},
	{ToCountOrders, OrdersRead, ""},
	{ToListBuyerMessages, OrdersRead, ""},
	{ToConfirmOrder, OrdersWrite, "order.confirm"},
	{ToCancelOrderAsStaff, OrdersWrite, "order.cancel"},
	{ToCancelOrders, OrdersWrite, "order.cancel"},
	{ToResolveFlags, OrdersWrite, "order.resolve"},
	{ToReplaceOrderToken, OrdersWrite, "order.replace_token"},
	{ToRecordCall, OrdersWrite, "order.call"},
	{ToAddNote, OrdersWrite, "order.note"},
	{ToDeleteNote, OrdersWrite, "order.delete_note"},
	{ToTagOrder, OrdersWrite, "order.tag"},
	{ToClaimOrder, OrdersWrite, "order.claim"},
	{ToReleaseOrder, OrdersWrite, "order.release"},
	{ToPrintOrders, OrdersRead, "order.print"},
	{ToMarkPrinted, OrdersWrite, "order.mark_printed"},
	{ToRecordShipment, OrdersFulfill, "shipment.record"},
	{ToBookShipment, OrdersFulfill, "shipment.book"},
	{ToTrackShipments, OrdersFulfill, "shipment.track"},
	{ToCancelShipment, OrdersFulfill, "shipment.cancel"},
	{ToPriceShipment, OrdersFulfill, ""},
	{ToSaveCashRate, OrdersFulfill, "provider.save_cash_rate"},
	{ToListCourierPlaces, OrdersFulfill, ""},
	{ToSuggestCourierPlace, OrdersFulfill, ""},
	{ToMarkDelivered, OrdersFulfill, "order.deliver"},
	{ToMarkReturned, OrdersFulfill, "order.return"},
	{ToEditOrder, OrdersWrite, "order.edit"},
	{ToPlaceOrderAsStaff, OrdersWrite, "order.place"},
	{ToParseOrder, OrdersWrite, ""},
	{ToRecordAdvance, OrdersWrite, "order.advance"},
	{ToRemoveAdvance, OrdersWrite, "order.remove_advance"},
	{ToCheckShipment, OrdersFulfill, ""},
	{ToListPaymentAttempts, PaymentsRead, ""},
	{ToFindPaymentAttempt, PaymentsRead, ""},
	{ToResolvePayment, PaymentsWrite, "payment.resolve"},
	{ToRefundPayment, PaymentsWrite, "payment.refund"},
	{ToMarkRefunded, PaymentsWrite, "payment.mark_refunded"},
	{ToMarkCashRefunded, PaymentsWrite, "order.refund"},
	{ToListProducts, ProductsRead, ""},
	{ToExportProducts, ProductsRead, "export.products"},
	{ToFindStockHistory, ProductsRead, ""},
	{ToListStock, ProductsRead, ""},
	{ToFindProductRecord, ProductsRead, ""},
	{ToListCollectionRecords, ProductsRead, ""},
	{ToFindCollectionRecord, ProductsRead, ""},
	{ToSaveProduct, ProductsWrite, "product.save"},
	{ToCreateProduct, ProductsWrite, "product.create"},
	{ToDuplicateProduct, ProductsWrite, "product.duplicate"},
	{ToUpdateProduct, ProductsWrite, "product.edit"},
	{ToDeleteProduct, ProductsWrite, "product.delete"},
	{ToDeleteCollection, ProductsWrite, "collection.delete"},
	{ToImportProducts, ProductsWrite, "product.import"},
	{ToSaveCollection, ProductsWrite, "collection.save"},
	{ToUpdateCollection, ProductsWrite, "collection.edit"},
	{ToArrangeCollection, ProductsWrite, "collection.arrange"},
	{ToAddToCollection, ProductsWrite, "collection.add"},
	{ToRemoveFromCollection, ProductsWrite, "collection.remove"},
	{ToChangeStock, StockWrite, "stock.change"},
	{ToChangeStocks, StockWrite, "stock.change"},
	{ToListMedia, ProductsRead, ""},
	{ToFindMedia, ProductsRead, ""},
	{ToUploadMedia, ProductsWrite, "media.upload"},
	{ToUpdateMedia, ProductsWrite, "media.edit"},
	{ToDeleteMedia, ProductsWrite, "media.delete"},
	{ToImportMedia, ProductsWrite, "media.import"},
	{ToListCustomers, CustomersRead, ""},
	{ToFindCustomerRecord, CustomersRead, ""},
	{ToFindContact, CustomersRead, ""},
	{ToUpdateContact, CustomersWrite, "contact.edit"},
	{ToResetPassword, CustomersWrite, "customer.reset_password"},
	{ToDeleteCustomer, CustomersDelete, "customer.delete"},
	{ToExportOrders, Export, "export.orders"},
	{ToExportCustomer, Export, "export.customer"},
	{ToExportCash, Export, "export.cash"},
	{ToListCoupons, CouponsRead, ""},
	{ToFindCoupon, CouponsRead, ""},
	{ToSaveCoupon, CouponsWrite, "coupon.save"},
	{ToUpdateCoupon, CouponsWrite, "coupon.edit"},
	{ToDisableCoupon, CouponsWrite, "coupon.disable"},
	{ToEnableCoupon, CouponsWrite, "coupon.enable"},
	{ToDeleteCoupon, CouponsWrite, "coupon.delete"},
	{ToReportCash, CashRead, ""},
	{ToListLedger, CashRead, ""},
	{ToListStatements, CashRead, ""},
	{ToFindStatement, CashRead, ""},
	{ToListCourierBalances, CashRead, ""},
	{ToReconcileStatement, CashWrite, "cash.reconcile"},
	{ToReportSales, AnalyticsRead, ""},
	{ToExportSales, Export, "export.sales"},
	{ToReportOverview, AnalyticsRead, ""},
	{ToExportOverview, Export, "export.sales"},
	{ToFindBacklog, SettingsRead, ""},
	{ToListMessageTemplates, SettingsRead, ""},
	{ToFindSettings, SettingsRead, ""},
	{ToSetSettings, SettingsWrite, "settings.change"},
	{ToSuspend, ShopClose, "shop.suspend"},
	{ToResume, ShopClose, "shop.resume"},
	{ToSetMode, ProvidersWrite, "shop.set_mode"},
	{ToSendTestMessage, SettingsWrite, "message.test"},
	{ToListPlugins, ProvidersRead, ""},
	{ToListWebhookURLs, ProvidersRead, ""},
	{ToListWebhooks, ProvidersRead, ""},
	{ToFindWebhook, ProvidersRead, ""},
	{ToListRefusedWebhooks, ProvidersRead, ""},
	{ToSMSConfig, ProvidersRead, ""},
	{ToMailConfig, ProvidersRead, ""},
	{ToValidatePlugin, ProvidersRead, ""},
	{ToConfigurePlugin, ProvidersWrite, "provider.configure"},
	{ToCourierTestCall, OperatorOnly, ""},
	{ToReplayWebhook, ProvidersWrite, "webhook.replay"},
	{ToConfigureSMS, ProvidersWrite, "sms.configure"},
	{ToSendTestSMS, ProvidersWrite, "sms.test"},
	{ToConfigureMail, ProvidersWrite, "mail.configure"},
	{ToSendTestMail, ProvidersWrite, "mail.test"},
	{ToChangeOrders, Any, "job.create"},
	{ToChangeProducts, Any, "job.create"},
	{ToListJobs, Any, ""},
	{ToFindJob, Any, ""},
	{ToCancelJob, Any, "job.cancel"},
	{ToRetryJob, Any, "job.retry"},
	{ToListEndpoints, KeysWrite, ""},
	{ToFindEndpoint, KeysWrite, ""},
	{ToListDeliveries, KeysWrite, ""},
	{ToCreateEndpoint, KeysWrite, "webhook_endpoint.create"},
	{ToUpdateEndpoint, KeysWrite, "webhook_endpoint.edit"},
	{ToDeleteEndpoint, KeysWrite, "webhook_endpoint.delete"},
	{ToRotateEndpoint, KeysWrite, "webhook_endpoint.rotate"},
	{ToTestEndpoint, KeysWrite, "webhook_endpoint.test"},
	{ToRedeliverRange, KeysWrite, "webhook_endpoint.redeliver"},
	{ToRedeliver, KeysWrite, "webhook_endpoint.redeliver"},
	{ToFindChannels, ProvidersRead, ""},
	{ToConfigureChannels, ProvidersWrite, "notification.configure"},
	{ToTestMember, StaffWrite, "notification.test"},
	{ToFindPreferences, Own, ""},
	{ToUpdatePreferences, Own, "notification.edit"},
	{ToFindRecent, Own, ""},
	{ToMarkSeen, Own, ""},
	{ToSaveDevice, Own, "device.add"},
	{ToRemoveDevice, Own, "device.remove"},
	{ToStartTelegramLink, Own, "telegram.start"},
	{ToFinishTelegramLink, Own, "telegram.link"},
	{ToEndTelegramLink, Own, "telegram.unlink"},
	{ToTestNotifications, Own, "notification.test"},
	{ToListAPIKeys, KeysWrite, ""},
	{ToCreateAPIKey, KeysWrite, "key.create"},
	{ToRevokeAPIKey, KeysWrite, "key.revoke"},
	{ToListAudit, AuditRead, ""},
	{ToListMembers, StaffRead, ""},
	{ToFindMember, StaffRead, ""},
	{ToInviteMember, StaffWrite, "staff.invite"},
	{ToUpdateMember, StaffWrite, "staff.edit"},
	{ToTurnOffMember, StaffWrite, "staff.turn_off"},
	{ToRemoveMember, StaffWrite, "staff.remove"},
	{ToCreateLink, StaffWrite, "staff.link"},
	{ToEndMemberSessions, StaffWrite, "staff.end_sessions"},
	{ToFindStart, Anybody, ""},
	{ToSetUp, Anybody, "shop.create"},
	{ToSignIn, Anybody, "session.create"},
	{ToInspectLink, Anybody, ""},
	{ToUseLink, Anybody, "link.use"},
	{ToRequestPasswordCode, Anybody, "password.send_code"},
	{ToResetOwnPassword, Anybody, "password.reset"},
	{ToFindSession, Own, ""},
	{ToProveSession, Own, "session.prove"},
	{ToEndSession, Own, "session.end"},
	{ToListSessions, Own, ""},
	{ToEndOwnSession, Own, "session.end"},
	{ToEndOwnSessions, Own, "session.end"},
	{ToUpdateMe, Own, "me.edit"},
	{ToChangeOwnPassword, Own, "password.change"},
	{ToStartTOTP, Own, "totp.start"},
	{ToConfirmTOTP, Own, "totp.confirm"},
	{ToRemoveTOTP, Own, "totp.remove"},
	{ToSeed, OperatorOnly, ""},
	{ToSeedCollection, OperatorOnly, "collection.save"},
	{ToSigningKeys, OperatorOnly, ""},
	{ToRotateSigningKey, OperatorOnly, "signing_key.rotate"},
}

// Rules returns the rule of every use case of staff.
func Rules() []Rule { return slices.Clone(rules) }

var ruleOf = func() map[UseCase]Rule {
	m := make(map[UseCase]Rule, len(rules))
	for _, r := range rules {
		m[r.UseCase] = r
	}
	return m
}()

// Rule returns the use case's rule. A use case without one is for the operator alone.
func (u UseCase) Rule() Rule {
	if r, ok := ruleOf[u]; ok {
		return r
	}
	return Rule{UseCase: u, Permission: OperatorOnly}
}
