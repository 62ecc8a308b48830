export const reportRoutes = []
