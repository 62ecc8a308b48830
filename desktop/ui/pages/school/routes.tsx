export const schoolRoutes = []
